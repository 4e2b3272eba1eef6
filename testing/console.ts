import type { Browser, CDPSession, Page } from 'playwright-core'
import { sampleSlug } from '../localnet/sample/manifest.ts'
import { consoleScreens, isSettled } from '../scripts/console-screens.ts'
import { findViolations } from './axe.ts'
import { follow, lookUntil, openLaptop } from './console-flow.ts'
import { findDeploymentFaults, findListFaults, findPayoutFaults } from './console-lists.ts'
import { loseNetwork } from './console-offline.ts'

/**
 * Uses the console of a local network as people do, and looks at every screen in both colour schemes and on a phone.
 *
 * @returns The faults, one per entry.
 */
export async function findConsoleFaults(browser: Browser, origin: string): Promise<string[]> {
  const faults: string[] = []
  const page = await openLaptop(browser)
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`${page.url()} asks ${request.url()}`)
  })

  // A page asks for this file when a deployment has replaced its files.
  const version = await page.request.get(`${origin}/_app/version.json`)
  const kept = version.headers()['cache-control']
  if (!version.ok() || !/no-cache|max-age=0/.test(kept ?? ''))
    faults.push(`version.json: ${version.status()}, ${kept}`)

  await page.goto(origin)
  await page.getByRole('link', { name: 'Submit a first task' }).first().click()
  await giveFirstTask(page)
  // Lists have a round a moment after its end, and show it by themselves.
  await follow(page, '/rounds')
  await doubtRound(page)
  await seeOtherReward(page, faults)
  await seeLargeAmount(page, faults)
  for (const path of Object.values(await consoleScreens(origin))) {
    await follow(page, path)
    for (const fault of await findScreenFaults(page)) faults.push(`${path}: ${fault}`)
  }
  faults.push(...(await findListFaults(page, origin, 1_000)))
  faults.push(...(await findPayoutFaults(page, origin, 1_000)))
  await searchProjects(page)
  await useKeys(page)
  await seeNothing(page, faults)
  await loseHub(page, faults)
  await page.close()
  return faults
}

/** The first task, to the result that the browser has verified. */
async function giveFirstTask(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit the task' }).click()
  await page.getByRole('button', { name: 'Verify in this browser' }).click()
  await page.getByText('Everything holds').waitFor()
  const checks = await page.getByText('Holds', { exact: true }).count()
  if (checks !== 10) throw new Error(`${checks} of 10 checks hold.`)
}

/** A hub that shows a signature of another validator is not believed. The page has read no round before: it would show that for a while. */
async function doubtRound(page: Page): Promise<void> {
  await page.route('**/v1/explorer/rounds/*', async (route) => {
    const answer = await route.fetch()
    const round = (await answer.json()) as { finality_votes: { signature: string }[] }
    const [first, second] = round.finality_votes
    if (first && second) first.signature = second.signature
    await route.fulfill({ response: answer, json: round })
  })
  await page.getByRole('row').nth(1).getByRole('link').first().click()
  await page.getByRole('button', { name: 'Verify in this browser' }).click()
  await page.getByText('Something does not hold').waitFor()
  await page.unroute('**/v1/explorer/rounds/*')
}

/** Collateral is in the token of the network, also if the project pays rewards in another one. */
async function seeOtherReward(page: Page, faults: string[]): Promise<void> {
  await page.route('**/v1/projects/0x*', async (route) => {
    const answer = await route.fetch()
    const project = (await answer.json()) as { token: object; economics: object }
    const token = { ...project.token, symbol: 'PAY', decimals: 6 }
    const economics = { ...project.economics, reward_per_unit: largeAmount }
    await route.fulfill({ response: answer, json: { ...project, token, economics } })
  })
  await follow(page, `/projects/${sampleSlug}`)
  const factOf = (name: string) => page.locator('dt', { hasText: name }).locator('+ dd')
  await lookUntil(page, factOf('Balance').filter({ hasText: 'PAY' }))
  await factOf('Collateral of a device')
    .filter({ hasText: /^\d{1,3} HUB$/ })
    .waitFor()
  for (const fault of await findWidthFaults(page)) faults.push(`a large reward: ${fault}`)
  await page.unroute('**/v1/projects/0x*')
}

/** Of tokens with a large supply. */
const largeAmount = '9'.repeat(44)

/** Each figure stays in its place. */
async function seeLargeAmount(page: Page, faults: string[]): Promise<void> {
  const stats = '**/v1/explorer/stats'
  await page.route(stats, async (route) => {
    const answer = await route.fetch()
    const token = { address: `0x${'00'.repeat(20)}`, name: 'Many', symbol: 'MANY', decimals: 18 }
    const rewards = { amount: largeAmount, token, epochs: 2 }
    await route.fulfill({ response: answer, json: { ...(await answer.json()), rewards } })
  })
  await follow(page, '/')
  await lookUntil(page, page.getByText('9999 MANY'))
  if (
    await page.evaluate(
      "[...document.querySelectorAll('.figures > *')].some((one) => one.scrollWidth > one.clientWidth)",
    )
  )
    faults.push('A large figure covers the next one.')
  for (const fault of await findWidthFaults(page)) faults.push(`a large figure: ${fault}`)
  await page.unroute(stats)
}

/** Finds the faults of the open screen. */
export async function findScreenFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  const lookForViolations = async (scheme: string, rules?: string[]) => {
    for (const { id, nodes } of await findViolations(page, rules))
      faults.push(`${scheme}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }
  await page.waitForFunction(isSettled)
  // The scheme that the page has comes first: it is drawn again for each change.
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
  const [first, second] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  await lookForViolations(first)
  await page.emulateMedia({ colorScheme: second })
  await lookForViolations(second, ['color-contrast'])
  faults.push(...(await findWidthFaults(page)))
  return faults
}

/** Finds whether the open screen is too wide for a phone. */
export async function findWidthFaults(page: Page): Promise<string[]> {
  const wide = await widthOnPhone(page)
  return wide === 360 ? [] : [`${wide} pixels wide on a phone of 360`]
}

/** A size lasts as long as the session that set it. */
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** How wide a page is on a phone of 360 pixels. Playwright would resize its window as well, which takes far longer. */
async function widthOnPhone(page: Page): Promise<number> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  const resize = async (size: { width: number; height: number }) =>
    (await session).send('Emulation.setDeviceMetricsOverride', {
      ...size,
      deviceScaleFactor: 1,
      mobile: false,
    })
  // The height does not change the width, and a low window is drawn sooner.
  await resize({ width: 360, height: 60 })
  const wide = await page.evaluate(`new Promise((resolve) => {
    const look = () => innerWidth === 360 ? resolve(document.documentElement.scrollWidth) : requestAnimationFrame(look)
    look()
  })`)
  await resize(page.viewportSize()!)
  return Number(wide)
}

/** Words that are typed with a pause between them stay as they are typed; somebody who leaves meanwhile is not brought back. */
async function searchProjects(page: Page): Promise<void> {
  await follow(page, '/projects')
  const search = page.getByLabel('Name or word')
  await search.pressSequentially('sample ')
  await page.waitForURL(/q=sample$/)
  await search.pressSequentially('echo')
  await page.waitForURL(/q=sample\+echo$/)
  const typed = await search.inputValue()
  if (typed !== 'sample echo') throw new Error(`The field of the search has “${typed}”.`)
  await search.fill('nothing')
  await follow(page, '/rounds')
  // Started later, a timer of the same length ends later.
  await page.evaluate('new Promise((end) => setTimeout(end, 300))')
  await page.waitForFunction(isSettled)
  if (!page.url().endsWith('/rounds'))
    throw new Error(`The search of a page that was left opens ${page.url()}.`)
  await page.goBack()
  await page.waitForURL(/q=sample\+echo$/)
  const shown = await search.inputValue()
  if (shown !== 'sample echo') throw new Error(`Back at the search, its field has “${shown}”.`)
}

async function useKeys(page: Page): Promise<void> {
  await page.locator('#app:not([inert])').waitFor()
  await page.locator('body').press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('echo')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Search', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Sample echo' }).click()
  await page.getByRole('heading', { name: 'What it pays' }).waitFor()
}

/** A missing record is shown with the id of the request, and not as trouble of the hub; neither is an unknown address. */
async function seeNothing(page: Page, faults: string[]): Promise<void> {
  const before = faults.length
  const { origin } = new URL(page.url())
  await follow(page, `/rounds/task:0x${'12'.repeat(32)}`)
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await page.getByRole('button', { name: 'Copy Request' }).waitFor()
  await page.getByRole('link', { name: 'What this error means' }).waitFor()
  const trouble = page.getByText('The hub answers with errors')
  if (await trouble.isVisible())
    throw new Error('A record that does not exist is said to be trouble of the hub.')
  await page.goto(`${origin}/nothing-here`)
  await page.getByRole('link', { name: 'Go to the first page' }).click()
  await page.getByRole('heading', { name: 'Latest rounds' }).waitFor()
  // The browser itself reports each answer of 404.
  faults.splice(before)
}

/** Without its hub or its files the console says so, and goes on by itself. */
async function loseHub(page: Page, faults: string[]): Promise<void> {
  const before = faults.length
  await page.context().setOffline(true)
  await page.getByText('The hub does not answer').waitFor()
  await page.context().setOffline(false)
  await page.getByText('The hub does not answer').waitFor({ state: 'detached' })
  await page.route('**/v1/explorer/rounds*', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '1' },
      json: { error: 'rate_limited', message: 'Wait.' },
    }),
  )
  await page.getByRole('link', { name: 'Rounds', exact: true }).click()
  await page.getByText('Too many calls from here').waitFor()
  await page.unroute('**/v1/explorer/rounds*')
  await page.getByRole('row').nth(1).waitFor()
  await page.getByText('Too many calls from here').waitFor({ state: 'detached' })
  await loseNetwork(page)
  const ofDeployment = await findDeploymentFaults(page, new URL(page.url()).origin)
  // The browser itself reports each call that failed.
  faults.splice(before)
  faults.push(...ofDeployment)
}
