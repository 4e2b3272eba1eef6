import { randomBytes } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { installWallet } from './browser-wallet.ts'
import { addAccount, openFlow, signInWith, useAccount } from './console-flow.ts'

/**
 * Asks the faucet for a wallet twice, and has the screen be about another wallet after each answer.
 *
 * @returns The faults, one per entry.
 */
export async function findFaucetFaults(browser: Browser, origin: string): Promise<string[]> {
  const keys = [`0x${randomBytes(32).toString('hex')}`]
  return openFlow(browser, origin, async (page, faults) => {
    await installWallet(page, { name: 'New wallet', rdns: 'new.wallet', keys })
    await signInWith(page, `${origin}/faucet`, 'New wallet')
    const main = page.getByRole('main')
    const drip = main.getByRole('button', { name: 'Get test tokens' })
    const done = main.getByText('Test tokens are on their way')
    await drip.click()
    await done.waitFor()
    await addAccount(page, 'Developer')
    if (await done.isVisible()) faults.push('One wallet is told that the tokens of another are on their way.')
    await useAccount(page, 'New wallet')
    await drip.click()
    const failed = main.getByText('The faucet gave nothing')
    await failed.waitFor()
    await useAccount(page, 'Developer')
    if (await failed.isVisible()) faults.push('One wallet is told why the faucet gave nothing to another.')
  })
}
