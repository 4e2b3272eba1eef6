import type { Browser, Page } from 'playwright-core'
import { connectTo } from '../scripts/hub/network.ts'
import { findScreenFaults } from './console.ts'
import { addAccount, follow, lookUntil, openFlow, passTime, signInWith } from './console-flow.ts'

/**
 * Claims what the sample devices earned, by the second of two accounts that are signed in, and reviews the project then. It lets
 * hours pass.
 *
 * @returns The faults, one per entry.
 */
export async function findEarningsFaults(browser: Browser, origin: string): Promise<string[]> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  return openFlow(browser, origin, async (page) => {
    await signInWith(page, `${origin}/me`, 'Developer')
    await addAccount(page, 'Miner')
    await claimEarnings(page, hosts.api)
    await sayOfProject(page)
  })
}

/** An epoch with rounds ends and can be claimed. The hub is away when the person claims first. */
async function claimEarnings(page: Page, hub: string): Promise<void> {
  await follow(page, '/me?part=earnings')
  await passTime(hub, '1h')
  // Attested and posted, it waits for the end of its challenge period.
  await lookUntil(page, page.getByRole('row').filter({ hasText: 'Settled' }).first())
  await passTime(hub, '3h')
  const claim = page.getByRole('button', { name: 'Claim everything' })
  await lookUntil(page, claim)
  await page.route('**/v1/me/withdrawals/claims', (route) => route.abort())
  await claim.click()
  await page.getByText('This did not work').waitFor()
  await page.unroute('**/v1/me/withdrawals/claims')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(/The hub claims from/).waitFor()
  await page.getByText('Completed').first().waitFor({ timeout: 120_000 })
}

/** An owner whose devices have worked for the project reviews it, and anybody may report it. */
async function sayOfProject(page: Page): Promise<void> {
  await follow(page, '/projects/sample-echo')
  await page.getByRole('button', { name: 'Write a review' }).click()
  await page.getByRole('dialog').getByLabel('What others should know').fill('Pays on time.')
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  await page.getByRole('dialog').getByRole('button', { name: 'Publish the review' }).click()
  await page.getByText('Your review is published.').waitFor()
  await page.getByText('Pays on time.').waitFor()
  await page.getByRole('button', { name: 'Report this project' }).click()
  await page.getByRole('dialog').getByLabel('What did you see?').fill('Nothing. This is a test of the form.')
  await page.getByRole('dialog').getByRole('button', { name: 'Send the report' }).click()
  await page.getByText('Your report is with the operators.').waitFor()
}
