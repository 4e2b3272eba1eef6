import { randomBytes } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { privateKeys } from '../localnet/private-keys.ts'
import { connectTo, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { installWallet } from './browser-wallet.ts'
import { findScreenFaults } from './console.ts'
import { lookUntil, openFlow, signInWith } from './console-flow.ts'
import { registerProject } from './console-project.ts'

/**
 * A developer funds the vault of a project, which nobody has opened, by a wallet of the browser: it refuses first, and is on
 * another chain then. A second time the vault is open, and the wallet cancels a transaction, then replaces each by the same one.
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
    await page.getByLabel(/^Add to the vault/).fill('7.5')
    await page.getByRole('button', { name: 'Fund with 7.5 HUB' }).click()
    for (const fault of await findScreenFaults(page)) faults.push(`the funding of a vault: ${fault}`)
    const dialog = page.getByRole('dialog')
    mood.refuses = true
    await dialog.getByRole('button', { name: 'Begin' }).click()
    await dialog.getByText('You rejected it in the wallet').waitFor()
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
    await balanceOf(page, '8.5').waitFor()
  })
  // So that the network has the projects that it had before.
  const { client } = await signIn(await readNetwork(hosts.api), privateKeys.operator)
  await client.call('POST /admin/v1/projects/{project_id}/review', {
    path: { project_id: project },
    body: { action: 'reject', reason: 'It was for a test.' },
  })
  return faults
}

const balanceOf = (page: Page, amount: string): Locator =>
  page
    .getByRole('definition')
    .filter({ hasText: new RegExp(`^${amount} HUB$`) })
    .first()
