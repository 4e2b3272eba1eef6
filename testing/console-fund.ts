import { randomBytes } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { privateKeys } from '../localnet/private-keys.ts'
import { connectTo, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { installWallet, type WalletMood } from './browser-wallet.ts'
import { findScreenFaults } from './console.ts'
import { lookUntil, openFlow, signInWith } from './console-flow.ts'
import { registerProject } from './console-project.ts'

/**
 * A developer funds the vault of a project, which nobody has opened, by a wallet of the browser, whose balance the hub cannot say:
 * it refuses first, and is on another chain then. A second time the vault is open, and the wallet cancels a transaction, then replaces each by the same one. A
 * third time the tab is closed twice before the wallet has answered: it has sent the first transaction, and not the second.
 *
 * @returns The faults, one per entry.
 */
export async function findFundingFaults(browser: Browser, origin: string, rpcUrl: string): Promise<string[]> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  const slug = `funded-${randomBytes(4).toString('hex')}`
  const project = await registerProject(hosts.api, { slug, name: 'A project to fund' })
  const faults = await openFlow(browser, origin, async (page, faults) => {
    const keys = [privateKeys.developer]
    const mood = await installWallet(page, { name: 'Funder', rdns: 'funder.wallet', keys, rpcUrl })
    await signInWith(page, `${origin}/build/projects/${project}`, 'Funder')
    await page.getByText('the first funding opens it').waitFor()
    await page.route('**/v1/accounts/*/balances', (route) => route.abort())
    await page.reload()
    await page.getByLabel(/^Add to the vault/).fill('7.5')
    await page.getByText('The hub does not know how much HUB your wallet has').waitFor()
    await page.getByRole('button', { name: 'Fund with 7.5 HUB' }).click()
    for (const fault of await findScreenFaults(page)) faults.push(`the funding of a vault: ${fault}`)
    const dialog = page.getByRole('dialog')
    mood.refuses = true
    await dialog.getByRole('button', { name: 'Begin' }).click()
    await dialog.getByText('You rejected it in the wallet').waitFor()
    await page.unroute('**/v1/accounts/*/balances')
    mood.refuses = false
    mood.chainId = 1
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByRole('button', { name: /^Switch to/ }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await lookUntil(page, balanceOf(page, '7.5'))
    await page.getByLabel(/^Add to the vault/).fill('1')
    await page.getByRole('button', { name: 'Fund with 1 HUB' }).click()
    await dialog.getByRole('button', { name: 'Begin' }).waitFor()
    if ((await dialog.getByRole('listitem').count()) !== 2) throw new Error('An open vault is opened again.')
    mood.replacesBy = 'nothing'
    await dialog.getByRole('button', { name: 'Begin' }).click()
    await dialog.getByText('The wallet sent something else instead').waitFor()
    mood.replacesBy = 'same'
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await lookUntil(page, balanceOf(page, '8.5'))
    mood.replacesBy = null
    await fundWithClosedTab(page, mood, faults)
  })
  // So that the network has the projects that it had before.
  const { client } = await signIn(await readNetwork(hosts.api), privateKeys.operator)
  await client.call('POST /admin/v1/projects/{project_id}/review', {
    path: { project_id: project },
    body: { action: 'reject', reason: 'It was for a test.' },
  })
  return faults
}

/** A transaction that the wallet has sent is followed and not sent again. */
async function fundWithClosedTab(page: Page, mood: WalletMood, faults: string[]): Promise<void> {
  const dialog = page.getByRole('dialog')
  /** Without its answer to what the page asks then. */
  const closeWhileAsked = async (press: () => Promise<void>) => {
    const answered = new Promise<void>((resolve) => (mood.tellsInstead = resolve))
    await press()
    await answered
    mood.tellsInstead = null
    await page.reload()
    await page.getByText('You began to put 2 HUB into the vault').waitFor()
  }
  const press = (name: string) => dialog.getByRole('button', { name }).click()
  const goOn = () => page.getByRole('button', { name: 'Go on' }).click()
  await page.getByLabel(/^Add to the vault/).fill('2')
  await page.getByRole('button', { name: 'Fund with 2 HUB' }).click()
  await closeWhileAsked(() => press('Begin'))
  for (const fault of await findScreenFaults(page)) faults.push(`a funding that is not over: ${fault}`)
  // It finds the first transaction in its block.
  const { asked } = mood
  mood.refuses = true
  await closeWhileAsked(goOn)
  mood.refuses = false
  if (mood.asked !== asked + 1) throw new Error('A transaction is sent a second time.')
  await goOn()
  await dialog.getByText('This page does not know whether the wallet sent it').waitFor()
  await press('It was not sent: send it')
  await press('Done')
  await lookUntil(page, balanceOf(page, '10.5'))
}

const balanceOf = (page: Page, amount: string): Locator =>
  page
    .getByRole('definition')
    .filter({ hasText: new RegExp(`^${amount} HUB$`) })
    .first()
