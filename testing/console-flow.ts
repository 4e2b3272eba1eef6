import { type Browser, errors, type Locator, type Page } from 'playwright-core'
import { isSettled } from '../scripts/console-screens.ts'
import { patienceMs } from './patience.ts'
import { runTool } from './run-tool.ts'

/** The window of a small laptop, in which nothing moves by itself: a larger one takes longer to draw. */
const laptop = { viewport: { width: 1280, height: 600 }, reducedMotion: 'reduce' } as const

/** A page in such a window, whose steps wait as long as tests do for what comes late. */
export async function openLaptop(browser: Browser): Promise<Page> {
  const page = await browser.newPage(laptop)
  page.setDefaultTimeout(patienceMs)
  return page
}

/** Calls that fail are part of the flows, and the browser reports each. */
const isOfFlow = (text: string): boolean => /Failed to load resource/.test(text)

/**
 * A page for one flow through the console. Each error or warning of the browser is a fault, refusals by the policy of the
 * page included, and so is each request to another host.
 *
 * @returns The faults, one per entry.
 */
export async function openFlow(
  browser: Browser,
  origin: string,
  use: (page: Page, faults: string[]) => Promise<void>,
): Promise<string[]> {
  const faults: string[] = []
  const page = await openLaptop(browser)
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isOfFlow(message.text()))
      faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      faults.push(`${page.url()} asks ${request.url()}`)
  })
  try {
    await use(page, faults)
  } catch (error) {
    const shown = await page.locator('main, dialog').allInnerTexts()
    faults.push(`${page.url()}: ${(error as Error).message}\n${shown}`)
  } finally {
    await page.close()
  }
  return faults
}

/** Lets time pass on a local network, as its user does. @param time as `2h`. */
export async function passTime(hub: string, time: string): Promise<void> {
  const { code, stderr } = await runTool('tools/pass-time.ts', [time], { HUB_URL: hub })
  if (code !== 0) throw new Error(stderr)
}

/** Signs in with a wallet of the browser, or an account of the local network. */
export async function signInWith(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await menuOf(page).waitFor()
}

const menuOf = (page: Page) => page.getByRole('button', { name: /^Account/ })

/** Signs in with one more account of the local network, which the screens are about then. */
export async function addAccount(page: Page, name: string): Promise<void> {
  await menuOf(page).click()
  await page.getByRole('button', { name: 'Add a wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Has the screens be about another account that is signed in. */
export async function useAccount(page: Page, name: string): Promise<void> {
  await menuOf(page).click()
  await page.getByRole('button', { name: `Use ${name}` }).click()
}

/**
 * Opens a screen as a link of the page does: the document stays, which takes a quarter of what loading it takes.
 *
 * @returns Once the screen is drawn and has everything that it reads.
 */
export async function follow(page: Page, path: string): Promise<void> {
  // Before the page has started, a link is one of the browser.
  await page.locator('#app:not([inert])').waitFor()
  await page.evaluate(clickLink, path)
  await page.waitForFunction(isSettled)
}

/** The router scrolls to the top once it has drawn the screen of a link. */
const clickLink = (href: string): Promise<void> =>
  new Promise((resolve) => {
    const { scrollTo } = globalThis
    globalThis.scrollTo = (x, y) => {
      globalThis.scrollTo = scrollTo
      scrollTo(x, y)
      resolve()
    }
    const link = document.createElement('a')
    link.href = href
    document.body.append(link)
    link.click()
    link.remove()
  })

/** The token of the account that the screens are about. */
export const tokenOf = async (page: Page): Promise<string> =>
  String(
    await page.evaluate(
      "{ const { current, kept } = JSON.parse(sessionStorage.getItem('sessions')); kept.find((one) => one.address === current).token }",
    ),
  )

/** Ends the session of the page, of which the page is not told. */
export async function endSession(page: Page): Promise<void> {
  const headers = { Authorization: `Bearer ${await tokenOf(page)}` }
  await fetch(`${new URL(page.url()).origin}/v1/auth/logout`, { method: 'POST', headers })
}

/** Has the hub refuse what an act asks for, and the page say so, as above a limit. */
export async function limitOnce(page: Page, calls: string, act: () => Promise<void>): Promise<void> {
  await page.route(calls, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '1' },
      json: { error: 'rate_limited', message: 'Too many calls.', request_id: 'test' },
    }),
  )
  await act()
  await page.getByText('Too many calls.').waitFor()
  await page.unroute(calls)
}

/**
 * Looks at a page again until it shows what the hub has soon, as a person who comes back to its tab: by itself the page would read
 * again every 15 seconds. To load it again takes ten times as long.
 */
export async function lookUntil(page: Page, shown: Locator): Promise<void> {
  for (let looks = 0; looks < 60; looks += 1) {
    try {
      return await shown.waitFor({ timeout: 2_500 })
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error
      await page.locator('html').dispatchEvent('visibilitychange')
    }
  }
  throw new Error(`The page has not come to show ${shown}.`)
}

/** The document of the page. */
declare const document: {
  readonly body: { append(link: Link): void }
  createElement(name: 'a'): Link
}
declare global {
  var scrollTo: (x: number, y: number) => void
}
interface Link {
  href: string
  click(): void
  remove(): void
}
