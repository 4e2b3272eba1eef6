import type { Browser, Page } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { privateKeys } from '../localnet/private-keys.ts'
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

/**
 * An epoch with rounds ends and can be claimed. The hub is away when the person claims first, and says that more is left after the
 * first claim, as with many vaults.
 */
async function claimEarnings(page: Page, hub: string): Promise<void> {
  await follow(page, '/me?part=earnings')
  await passTime(hub, '1h')
  // Attested and posted, it waits for the end of its challenge period.
  await lookUntil(page, page.getByRole('row').filter({ hasText: 'Settled' }).first())
  await passTime(hub, '3h')
  const claim = page.getByRole('button', { name: 'Claim everything' })
  await lookUntil(page, claim)
  await changeAnswers(page, '**/v1/me/claims', { more: true })
  await lookUntil(page, page.getByText('At least this'))
  await page.unroute('**/v1/me/claims')
  await changeAnswers(page, '**/v1/accounts/*/balances', { unclaimed_partial: true })
  await follow(page, `/accounts/${privateKeyToAccount(privateKeys.miner).address}`)
  await page
    .getByRole('definition')
    .filter({ hasText: /^at least .+ HUB/ })
    .waitFor()
  await page.unroute('**/v1/accounts/*/balances')
  await follow(page, '/me?part=earnings')
  await page.route('**/v1/me/withdrawals/claims', (route) => route.abort())
  await claim.click()
  await page.getByText('This did not work').waitFor()
  await page.unroute('**/v1/me/withdrawals/claims')
  let claims = 0
  await page.route('**/v1/me/withdrawals/claims', async (route) => {
    claims++
    if (claims > 1) return route.fulfill({ status: 202, json: { items: [], more: false } })
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), more: true } })
  })
  const second = page.waitForResponse((answer) => answer.url().endsWith('/claims') && claims === 2)
  await page.getByRole('button', { name: 'Try again' }).click()
  await second
  await page.getByText(/The hub claims from/).waitFor()
  await page.unroute('**/v1/me/withdrawals/claims')
  await page.getByText('Completed').first().waitFor({ timeout: 120_000 })
}

/** Has each answer of the hub contain other values. */
async function changeAnswers(page: Page, calls: string, changed: object): Promise<void> {
  await page.route(calls, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changed } })
  })
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
  await findOldReview(page)
  await page.getByRole('button', { name: 'Report this project' }).click()
  await page.getByRole('dialog').getByLabel('What did you see?').fill('Nothing. This is a test of the form.')
  await page.getByRole('dialog').getByRole('button', { name: 'Send the report' }).click()
  await page.getByText('Your report is with the operators.').waitFor()
}

/** The project has many reviews, and the own one is not among the newest. */
async function findOldReview(page: Page): Promise<void> {
  const reviews = '**/v1/projects/*/reviews**'
  await page.route(reviews, async (route) => {
    const { origin, pathname, search } = new URL(route.request().url())
    const isFirst = !search.includes('cursor')
    const answer = await route.fetch({ url: origin + pathname })
    await route.fulfill({
      response: answer,
      json: { ...(await answer.json()), ...(isFirst && { items: [], next_cursor: 'next' }) },
    })
  })
  const dialog = page.getByRole('dialog')
  await lookUntil(page, page.getByRole('button', { name: 'Write a review' }))
  await page.getByRole('button', { name: 'Write a review' }).click()
  await dialog.getByText('if you have written one before').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('button', { name: 'Change your review' }).click()
  const comment = await dialog.getByLabel('What others should know').inputValue()
  if (comment !== 'Pays on time.') throw new Error(`The form for the review has “${comment}”.`)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.unroute(reviews)
}
