import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { sampleSlug } from '../localnet/sample/manifest.ts'
import { ownScreens } from '../scripts/console-screens.ts'
import { installWallet, type WalletMood } from './browser-wallet.ts'
import { findScreenFaults } from './console.ts'
import { addAccount, endSession, follow, openFlow, tokenOf, useAccount } from './console-flow.ts'
import { runTool } from './run-tool.ts'

/**
 * Signs in, binds a device, bonds collateral and gets it back, each to its end and each with something that goes wrong.
 *
 * @returns The faults, one per entry.
 */
export async function findWalletFaults(browser: Browser, origin: string): Promise<string[]> {
  const keys = [0, 1].map(() => `0x${randomBytes(32).toString('hex')}` as const)
  const [owner, other] = keys.map((key) => privateKeyToAccount(key).address.toLowerCase())
  const folder = mkdtempSync(path.join(tmpdir(), 'console-device-'))
  const faults = await openFlow(browser, origin, async (page, faults) => {
    const mood = await installWallet(page, { name: 'Test wallet', rdns: 'test.wallet', keys })
    await installWallet(page, { name: 'Other wallet', rdns: 'other.wallet', keys: [] })
    await signIn(page, origin, mood, String(owner))
    await checkSecrets(page, faults)
    for (const screen of [...Object.values(ownScreens), '/run-a-device']) {
      await follow(page, screen)
      for (const fault of await findScreenFaults(page)) faults.push(`${screen}: ${fault}`)
    }
    await bindDevice(page, origin, folder, String(owner))
    await follow(page, `/run-a-device?project=${sampleSlug}`)
    await page.locator('option:checked', { hasText: 'Sample echo' }).waitFor({ state: 'attached' })
    await shortenProjects(page)
    // It drops the list that was read before.
    await page.reload()
    await bondCollateral(page, origin, mood)
    await changePayout(page, String(other))
    await unbondWithClosedTab(page, origin)
    await unbindDevice(page)
    await resumeTask(page, origin)
    await switchAccounts(page)
    await signOutOfBoth(page, String(owner))
  })
  rmSync(folder, { recursive: true, force: true })
  return faults
}

const dialog = (page: Page) => page.getByRole('dialog')

/** Once the chain has what was signed. */
async function closeDone(page: Page): Promise<void> {
  await dialog(page).getByRole('status').getByText('Done', { exact: true }).waitFor()
  await dialog(page).getByRole('button', { name: 'Close' }).click()
}

/** The wallet refuses first; it has two accounts, of which the person takes the first. */
async function signIn(page: Page, origin: string, mood: WalletMood, owner: string): Promise<void> {
  await page.goto(`${origin}/me`)
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  // It is loaded when it opens.
  await dialog(page).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).and(page.locator(':focus')).click()
  await dialog(page).waitFor()
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  mood.refuses = true
  await dialog(page).getByRole('button', { name: 'Test wallet' }).click()
  await dialog(page)
    .getByRole('button', { name: owner.slice(0, 8) })
    .click()
  await page.getByText('You rejected it in the wallet').waitFor()
  mood.refuses = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page
    .getByRole('button', { name: /^Account/ })
    .and(page.getByTitle(owner))
    .waitFor()
  await page.getByText('No device yet').waitFor()
}

/** Nothing that a page of another host, or a picture of the page, gives away. */
async function checkSecrets(page: Page, faults: string[]): Promise<void> {
  const token = await tokenOf(page)
  if (!token) faults.push('The session is not in sessionStorage.')
  if ((await page.content()).includes(token)) faults.push('The token is in the page.')
  const elsewhere = await page.evaluate('JSON.stringify(localStorage) + document.cookie')
  if (String(elsewhere).includes(token)) faults.push('The token is in localStorage or a cookie.')
  if ((await page.context().cookies()).length > 0) faults.push('The console has a cookie.')
}

/** The session ends while a code is typed: the page asks again, and the code is still there. */
async function bindDevice(page: Page, origin: string, folder: string, owner: string): Promise<void> {
  const nodectl = async (...args: string[]) => {
    const ended = await runTool('node-cli/src/main.ts', args)
    if (ended.code !== 0) throw new Error(`nodectl ${args[0]}: ${ended.stderr}`)
    return ended
  }
  await nodectl('keygen', '--data-dir', folder)
  const at = ['--data-dir', folder, '--hub-url', await hubOf(page, origin)]
  const { stderr } = await nodectl('bind', ...at, '--owner', owner)
  const [, code] = /#(bind\.\S+)/.exec(stderr) ?? []
  await page.goto(`${origin}/me#${code}`)
  await page.getByRole('heading', { name: 'A device waits to be bound' }).waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Bind the device' }).first().waitFor()
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  await page.getByRole('button', { name: 'Not now' }).click()
  await follow(page, '/run-a-device')
  await page.getByLabel('Code').fill('bind.nonsense')
  await page.getByRole('button', { name: 'Bind the device' }).click()
  await page.getByText('This is not a code').waitFor()
  await page.getByLabel('Code').fill(String(code))
  await endSession(page)
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Bind the device' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await dialog(page).getByRole('button', { name: 'Sign in again' }).click()
  const signing = page.getByRole('dialog', { name: 'Bind the device' })
  await signing.getByText('works for this wallet from now on').waitFor()
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  await signing.getByRole('button', { name: 'Sign' }).click()
  await signing.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Bound, not online yet').waitFor()
}

/** As the descriptor says it. */
const hubOf = async (page: Page, origin: string): Promise<string> => {
  const answer = await page.request.get(`${origin}/`, { headers: { Accept: 'application/json' } })
  return ((await answer.json()) as { hosts: { api: string } }).hosts.api
}

const projectsToChoose = ({ pathname, searchParams: query }: URL) =>
  pathname === '/v1/projects' && query.get('sort') === 'earnings' && !query.has('q')

/** As on a hub with so many projects that the list does not contain this one. */
async function shortenProjects(page: Page): Promise<void> {
  await page.route(projectsToChoose, async (route) => {
    const answer = await route.fetch()
    const { items } = (await answer.json()) as { items: { name: string }[] }
    const others = items.filter(({ name }) => name !== 'Sample echo')
    await route.fulfill({ response: answer, json: { items: others, next_cursor: 'more' } })
  })
}

/** The hub limits, the wallet is on another chain, the tab is closed before the signature, and then the answer to the signed action is lost. */
async function bondCollateral(page: Page, origin: string, mood: WalletMood): Promise<void> {
  await follow(page, '/projects/sample-echo')
  await page.getByRole('link', { name: 'Run a device for it' }).click()
  // The page of the project has chosen it, although it is not among the first projects.
  await page.locator('option:checked', { hasText: 'Sample echo' }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Bond 120 ' }).waitFor()
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  await follow(page, '/run-a-device')
  await page.locator('option:checked', { hasText: 'Sample echo' }).waitFor({ state: 'detached' })
  await page.getByLabel('Find one by words').fill('ech')
  await page.getByLabel('Project').selectOption({ label: 'Sample echo' })
  await page.getByRole('button', { name: 'Bond 120 ' }).waitFor()
  await page.getByText('The wallet has less than this').waitFor()
  await page.getByRole('button', { name: 'Get test tokens' }).click()
  await page.getByText('The wallet has less than this').waitFor({ state: 'detached' })
  await page.getByLabel('Collateral in').fill('120.5')
  const limited = '**/v1/subscriptions'
  await page.route(limited, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '1' },
      json: { error: 'rate_limited', message: 'Wait.', request_id: 'test' },
    }),
  )
  await page.unroute(projectsToChoose)
  mood.chainId = 1
  await page.getByRole('button', { name: /^Bond 120.5/ }).click()
  const signing = page.getByRole('dialog', { name: /^Bond 120.5/ })
  await signing.getByText('Too many requests').waitFor()
  await page.unroute(limited)
  await signing.getByRole('button', { name: 'Try again', exact: true }).click()
  await signing.getByRole('button', { name: 'Sign' }).click()
  await signing.getByText('The wallet is on another chain').waitFor()
  await signing.getByRole('button', { name: /^Switch to/ }).click()
  await signing.getByText('as you asked').first().waitFor()
  const marked = await signing.getByText('as you asked').count()
  if (marked !== 4) throw new Error(`${marked} of 4 fields of a bond are marked as asked for.`)
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  await closeBeforeSignature(page, origin)
  const relayed = '**/v1/subscriptions/*/bond'
  await page.route(relayed, async (route) => {
    await route.fetch()
    // As one that is sent again while the first is still running.
    await route.fulfill({
      status: 409,
      headers: { 'Retry-After': '1' },
      json: { error: 'conflict', message: 'It runs.', request_id: 'test' },
    })
  })
  const read = '**/v1/transactions/*'
  await page.route(
    read,
    (route) =>
      route.fulfill({
        status: 404,
        json: { error: 'not_found', message: 'No such transaction.', request_id: 'test' },
      }),
    // After these, the page takes it for unknown.
    { times: 5 },
  )
  const before = mood.asked
  await signing.getByRole('button', { name: 'Sign' }).click()
  await signing.getByRole('button', { name: 'Ask the hub again' }).click()
  await closeDone(page)
  await page.unroute(relayed)
  if (mood.asked !== before + 2) throw new Error(`The wallet was asked ${mood.asked - before} times.`)
  await follow(page, '/run-a-device')
  await page.getByText('It is bonded, but offline').waitFor()
}

/** The hub has the subscription by then, and waits: the page goes on with the amount that was typed. */
async function closeBeforeSignature(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/me`)
  await page.getByText('Not bonded yet').waitFor()
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  await page.getByRole('button', { name: 'Continue' }).first().click()
  await page.getByRole('button', { name: /^Bond 120.5/ }).click()
}

/** A malformed address is refused by the form. */
async function changePayout(page: Page, other: string): Promise<void> {
  await follow(page, '/me?part=collateral')
  await page.getByRole('button', { name: 'Change payout address' }).click()
  await page.getByLabel('New payout address').fill('0x12')
  await page.getByText('An address is 0x and 40 hex digits').waitFor()
  await page.getByLabel('New payout address').fill(`0x${'aB'.repeat(20)}`)
  await page.getByText('The checksum of this address is wrong').waitFor()
  await page.getByLabel('New payout address').fill(other)
  await page.getByRole('button', { name: 'Change it' }).click()
  await dialog(page).getByRole('button', { name: 'Sign' }).click()
  await closeDone(page)
  await page.getByText('Pays to').getByTitle(other).first().waitFor()
}

/** The tab is closed as soon as the action is signed; it is there again afterwards. */
async function unbondWithClosedTab(page: Page, origin: string): Promise<void> {
  await page.route('**/v1/transactions/*', (route) => route.abort())
  await page.getByRole('button', { name: 'Unbond' }).click()
  await dialog(page).getByRole('button', { name: 'Sign' }).click()
  await dialog(page).getByText('You can close this').waitFor()
  await page.goto(origin)
  await page.unroute('**/v1/transactions/*')
  await follow(page, '/me?part=collateral')
  await page.getByRole('heading', { name: 'Signed actions' }).waitFor()
  await page.getByRole('button', { name: 'Remove from this list' }).click()
  await page.getByRole('heading', { name: 'Signed actions' }).waitFor({ state: 'detached' })
  await page.getByText(/free in/).waitFor()
}

/** The device leaves the wallet, and its collateral stays where it is. */
async function unbindDevice(page: Page): Promise<void> {
  await follow(page, '/me')
  await page.getByRole('button', { name: 'Unbind' }).click()
  const signing = page.getByRole('dialog', { name: 'Unbind the device' })
  await signing.getByText('Its collateral stays bonded').waitFor()
  await signing.getByRole('button', { name: 'Sign' }).click()
  await signing.getByRole('button', { name: 'Close' }).click()
  await page.getByText('No device yet').waitFor()
}

/** The tab is closed before the task has its result; the page of the project goes on with it. */
async function resumeTask(page: Page, origin: string): Promise<void> {
  await page.route('**/v1/tasks/*', (route) => route.abort())
  await follow(page, '/projects/sample-echo/try')
  const submitted = page.waitForResponse((answer) => /\/tasks$/.test(answer.url()) && answer.ok())
  await page.getByRole('button', { name: 'Submit the task' }).click()
  await submitted
  await page.goto(origin)
  await page.unroute('**/v1/tasks/*')
  await follow(page, '/projects/sample-echo/try')
  await page.getByRole('button', { name: 'Verify in this browser' }).waitFor()
}

/** A second wallet, here an account of the local network whose key everybody has. */
async function switchAccounts(page: Page): Promise<void> {
  await follow(page, '/me')
  await addAccount(page, 'Miner')
  await page.locator('a[href^="/nodes/"]').nth(2).waitFor()
  await useAccount(page, 'Test wallet')
  await page.locator('a[href^="/nodes/"]').nth(1).waitFor({ state: 'detached' })
  await useAccount(page, 'Miner')
}

/** The session of the first account has ended, of which the page is not told; for the second one the hub does not answer. */
async function signOutOfBoth(page: Page, owner: string): Promise<void> {
  const signOut = async () => {
    const token = await tokenOf(page)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    return token
  }
  const account = page.getByRole('button', { name: /^Account/ })
  // This screen asks nothing in the name of a wallet.
  await follow(page, '/rounds')
  await endSession(page)
  const tokens = [await signOut()]
  await account.and(page.getByTitle(owner)).waitFor()
  await page.route('**/v1/auth/logout', () => {})
  tokens.push(await signOut())
  await account.waitFor({ state: 'detached' })
  if (await dialog(page).isVisible()) throw new Error('To sign out, a wallet has to sign in.')
  const kept = String(await page.evaluate("sessionStorage.getItem('sessions')"))
  if (tokens.some((token) => kept.includes(token))) throw new Error('A token outlasts its session.')
}
