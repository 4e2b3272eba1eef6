import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, testBrowserPath } from '../scripts/browser.ts'
import { navigation } from '../scripts/site/navigation.ts'
import { addressOf, home } from '../scripts/site/page.ts'
import { findViolations } from '../testing/axe.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'

const executable = testBrowserPath()
if (executable === undefined) console.warn('No chromium on this machine: the documentation is not tested.')

const guides = navigation.flatMap(({ pages }) => pages.map(([, file]) => addressOf(file)))
/** Guides that have everything that a page is made of. */
const varied = ['verify-a-result', 'console', 'sign-in'].map((name) => `${home}/${name}`)

// Pages take their time one after the other.
const calls = ['submitTask', 'bond', 'listProjects'].map((id) => `${home}/operations/${id}`)

describe.skipIf(executable === undefined)('the documentation in a browser', () => {
  let hub: TestHub
  let browser: Browser
  beforeAll(async () => {
    hub = await startTestHub({}, { files: true })
    browser = await openBrowser(executable ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
  })

  /** A page that notes what is wrong. */
  const openPage = async (options: Parameters<Browser['newPage']>[0]) => {
    const page = await browser.newPage({ reducedMotion: 'reduce', ...options })
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(`${page.url()}: ${message.text()}`)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(`${hub.origin}/`)) faults.push(`${page.url()} asks ${request.url()}`)
    })
    return { page, faults }
  }
  const axeFaults = async (page: Page) =>
    (await findViolations(page)).map(({ id, nodes }) => `${page.url()}: ${id} ${nodes[0]?.html}`)

  test('every guide fits on a phone of 360 px, is accessible, and loads nothing from other hosts', async () => {
    const { page, faults } = await openPage({ viewport: { width: 360, height: 740 }, bypassCSP: true })
    for (const address of [home, `${home}/reference`, ...guides, ...calls]) {
      const answer = await page.goto(hub.origin + address)
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (answer?.status() !== 200 || Number(wider) > 0)
        faults.push(`${address}: ${answer?.status()}, ${wider} px too wide`)
      if (!guides.includes(address) || varied.includes(address)) faults.push(...(await axeFaults(page)))
    }
    expect(faults).toEqual([])
  })

  test('home, reference and calls are accessible in dark mode on a wide screen', async () => {
    const { page, faults } = await openPage({ colorScheme: 'dark', bypassCSP: true })
    for (const address of [home, `${home}/reference`, ...calls]) {
      await page.goto(hub.origin + address)
      faults.push(...(await axeFaults(page)))
    }
    expect(faults).toEqual([])
  })

  test('the home page starts with a question, and the search leads by keyboard to a section', async () => {
    const { page, faults } = await openPage({})
    await page.goto(hub.origin + home)
    expect(await page.textContent('h1')).toBe('What do you want to do?')
    await page.keyboard.press('/')
    await page.keyboard.type('webhook-signature')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${hub.origin}/docs/events#webhooks`)
    await page.keyboard.press('/')
    await page.keyboard.type('no such words anywhere')
    await page.getByText('Nothing found.').waitFor()
    expect(faults).toEqual([])
  })

  test('a page that was open during a deployment says that its search is gone', async () => {
    const { page, faults } = await openPage({})
    await page.route('**/docs/search.*.json', (route) =>
      route.fulfill({ status: 404, json: { error: 'not_found', message: 'It is not in this version.' } }),
    )
    await page.goto(hub.origin + home)
    await page.getByRole('combobox', { name: 'Search' }).fill('webhook')
    await page.getByText('Search could not be loaded.').waitFor()
    expect(faults.filter((fault) => !fault.includes('Failed to load resource'))).toEqual([])
  })
})
