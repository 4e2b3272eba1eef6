import type { Page, Route } from 'playwright-core'
import { isSettled } from '../scripts/console-screens.ts'
import { createHub } from '../sdk/index.ts'
import { epochExample, receiptExample } from '../workers/routes/explorer/schema.ts'
import { follow } from './console-flow.ts'

const firstPage = 25

/**
 * Goes to the end of a long list of rounds, to another screen from its middle, and back.
 *
 * @param rows that the hub seems to have: copies of its newest round.
 * @returns The faults, one per entry.
 */
export async function findListFaults(page: Page, origin: string, rows: number): Promise<string[]> {
  const faults: string[] = []
  const list = '**/v1/explorer/rounds?*'
  const answerLong = await longList(origin, rows)
  await page.route(list, answerLong)
  await page.goto(`${origin}/rounds`)
  await page.getByRole('button', { name: 'Show more' }).click()
  const blocks = Math.ceil(rows / firstPage)
  await page.waitForFunction(
    (wanted: number) => {
      scrollTo(0, document.documentElement.scrollHeight)
      return document.querySelectorAll('[data-block]').length >= wanted
    },
    blocks,
    { timeout: 300_000 },
  )
  const shown = await page.locator('tbody tr a[href^="/rounds/"]').count()
  if (shown > 250) faults.push(`${shown} rows of ${rows} are in the page`)

  await page.locator(`[data-block="${Math.floor(blocks / 2)}"]`).scrollIntoViewIfNeeded()
  await page.waitForFunction(rowInView)
  const left = await page.evaluate(rowInView)
  // A click would scroll to the clicked element.
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByRole('heading', { name: 'Status', exact: true }).waitFor()
  await page.goBack()
  await page.waitForFunction((href: string) => document.querySelector(`tbody a[href="${href}"]`), left!.href)
  const found = await page.evaluate(rowInView)
  if (found?.href !== left?.href || Math.abs((found?.top ?? 0) - (left?.top ?? 0)) > 2)
    faults.push(
      `back from the row ${left?.href} at ${left?.top}, the list is at ${found?.href}, ${found?.top}`,
    )
  await page.unroute(list, answerLong)
  return faults
}

/** The first row below the top of the window, and where it is. */
const rowInView = (): { href: string; top: number } | null => {
  for (const link of document.querySelectorAll('tbody tr a[href^="/rounds/"]')) {
    const { top } = link.getBoundingClientRect()
    if (top > 0 && top < innerHeight) return { href: String(link.getAttribute('href')), top: Math.round(top) }
  }
  return null
}

/**
 * Looks at an epoch that pays many wallets, and proves the share of one while another is in the field.
 *
 * @returns The faults, one per entry.
 */
export async function findPayoutFaults(page: Page, origin: string, payouts: number): Promise<string[]> {
  const faults: string[] = []
  const { items } = await createHub({ url: origin }).call('GET /v1/projects', { query: { limit: 1 } })
  const { project_id } = items[0]!
  const compute_units = Array.from({ length: payouts }, (_, index) => ({
    miner: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    units: index + 1,
    amount: `${index + 1}000000000000000000`,
  }))
  const receipt = { ...receiptExample, project_id, compute_units }
  const epochs = '**/v1/explorer/epochs/*/*'
  await page.route(epochs, (route) => route.fulfill({ json: { ...epochExample, project_id, receipt } }))
  await follow(page, `/epochs/${project_id}/${epochExample.epoch}`)
  await page.getByRole('row').nth(25).waitFor()
  const shown = await page.locator('tbody a[href^="/accounts/"]').count()
  if (shown > 250) faults.push(`${shown} payouts of ${payouts} are in the page`)
  await page.getByRole('row').nth(2).getByRole('button', { name: 'Check' }).click()
  const amount = page.getByRole('definition').filter({ hasText: /^2 / })
  await amount.waitFor()
  const wallet = page.getByRole('textbox', { name: 'Wallet' })
  await wallet.fill('')
  // As it is pasted.
  await page.keyboard.insertText(`  ${compute_units[2]!.miner} `)
  if (!(await amount.isVisible())) faults.push('The amount is of another wallet than the proof.')
  await wallet.press('Enter')
  await page.getByRole('definition').filter({ hasText: /^3 / }).waitFor()
  await page.unroute(epochs)
  return faults
}

async function longList(origin: string, rows: number): Promise<(route: Route) => Promise<void>> {
  const answer = await fetch(`${origin}/v1/explorer/rounds?kind=task&limit=1`)
  const [round] = ((await answer.json()) as { items: object[] }).items
  return (route) => {
    const { searchParams } = new URL(route.request().url())
    const from = Number(searchParams.get('cursor') ?? 0)
    const to = Math.min(rows, from + Number(searchParams.get('limit') ?? firstPage))
    const items = Array.from({ length: to - from }, (_, index) => ({
      ...round,
      round_id: `task:0x${(from + index).toString(16).padStart(64, '0')}`,
    }))
    return route.fulfill({ json: { items, next_cursor: to < rows ? String(to) : null } })
  }
}

/**
 * A deployment replaces the files that a page has not loaded yet, then those of a page that loads: it loads itself again, once.
 *
 * @returns The faults, one per entry.
 */
export async function findDeploymentFaults(page: Page, origin: string): Promise<string[]> {
  const faults: string[] = []
  // The first script is of the document that names it.
  const files = /\/_app\/(immutable\/(?!entry\/boot).*\.js|version\.json)$/
  let documents = 0
  let goneUntil = 0
  await page.goto(`${origin}/projects`)
  await page.waitForFunction(isSettled)
  await page.route(files, (route) => {
    if (documents >= goneUntil) return route.continue()
    if (route.request().url().endsWith('.json')) return route.fulfill({ json: { version: 'next' } })
    return route.fulfill({ status: 404 })
  })
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents++
  })
  const deploy = async (act: () => Promise<unknown>, wanted: number) => {
    documents = 0
    goneUntil = wanted
    await act()
    await page.getByRole('heading', { name: 'Faucet', exact: true }).waitFor()
    await page.waitForFunction(isSettled)
    if (documents !== wanted) faults.push(`after a deployment ${page.url()} was loaded ${documents} times`)
  }
  await deploy(() => page.getByRole('link', { name: 'Faucet', exact: true }).click(), 1)
  await deploy(() => page.goto(`${origin}/faucet`).catch(() => {}), 2)
  await page.unroute(files)
  return faults
}

/** The document of the page. */
declare const document: {
  readonly documentElement: { readonly scrollHeight: number }
  querySelector(selector: string): unknown
  querySelectorAll(selector: string): Iterable<{
    getAttribute(name: string): string | null
    getBoundingClientRect(): { readonly top: number }
  }> & { readonly length: number }
}
declare const innerHeight: number
declare const scrollTo: (x: number, y: number) => void
