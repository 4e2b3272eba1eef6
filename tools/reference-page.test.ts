import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath, openBrowser } from '../scripts/browser.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'

const executable = browserPath()
if (executable === undefined) console.warn('No chromium on this machine: the reference page is not tested.')

describe.skipIf(executable === undefined)('the reference page in a browser', () => {
  let hub: TestHub
  let browser: Browser

  beforeAll(async () => {
    hub = await startTestHub()
    browser = await openBrowser(executable ?? '')
  })

  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
  })

  test('shows every call but those of operators, loads nothing from another host, and tries a call', async () => {
    const { origin } = hub
    const page = await browser.newPage()
    const hosts = new Set<string>()
    const faults: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
    })
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))

    await page.goto(`${origin}/docs`)
    const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>
    }
    const expected = Object.entries(document.paths)
      .filter(([path]) => !path.startsWith('/admin/'))
      .flatMap(([path, methods]) => Object.keys(methods).map(() => path))
    // The page shows one group of calls after the other.
    await page
      .locator('.opblock-summary-path')
      .nth(expected.length - 1)
      .waitFor({ state: 'attached' })
    const shown = await page.$$eval('.opblock-summary-path', (paths) =>
      paths.map((path) => path.textContent?.replaceAll('\u200b', '')),
    )
    expect(shown.sort()).toEqual(expected.sort())

    await page.click('#operations-Network-listCategories .opblock-summary-control')
    await page.click('#operations-Network-listCategories .try-out__btn')
    await page.click('#operations-Network-listCategories .execute')
    await page.waitForSelector(
      '#operations-Network-listCategories .live-responses-table .response-col_status',
    )
    const status = await page.textContent(
      '#operations-Network-listCategories .live-responses-table tbody .response .response-col_status',
    )
    expect(status).toMatch(/^200/)
    expect([...hosts]).toEqual([origin])
    expect(faults).toEqual([])
  })
})
