import type { Browser } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openBrowser, testBrowserPath } from '../scripts/browser.ts'
import { findConsoleFaults } from './console.ts'
import { findAbortFaults } from './console-abort.ts'
import { findBuildFaults } from './console-build.ts'
import { findDisputeFaults } from './console-disputes.ts'
import { findEarningsFaults } from './console-earnings.ts'
import { findFaucetFaults } from './console-faucet.ts'
import { findFundingFaults } from './console-fund.ts'
import { findInjections } from './console-hostile.ts'
import { findOperatorFaults } from './console-operate.ts'
import { findValidatorFaults } from './console-validators.ts'
import { findWalletFaults } from './console-wallet.ts'
import type { Backstage } from './reference/stage.ts'

/**
 * Uses the console of a local network with its sample project and nodes, as everybody does.
 *
 * @param hub its origin.
 * @param ofDeveloper further tests, in which the developer of the sample project acts without the console.
 */
export function testConsole(hub: () => string, backstage: () => Backstage, ofDeveloper: () => void): void {
  const chromium = testBrowserPath()
  const inBrowser = test.skipIf(chromium === undefined)
  /** Each page has a context of its own in it. */
  let opened: Promise<Browser> | undefined
  const browser = () => {
    opened ??= openBrowser(chromium!)
    return opened
  }
  afterAll(async () => (await opened)?.close())

  /** Tests that run one after the other, beside those of other people. */
  const person = (who: string, tests: () => void) =>
    describe(who, () => {
      describe('in turn', { concurrent: false }, tests)
    })

  // Nobody lets hours pass, and all that one wallet signs is of one person: the hub takes one action of it at a time.
  describe('people at the same time', { concurrent: true }, () => {
    person('the developer', () => {
      ofDeveloper()

      inBrowser('a wallet of the browser opens the vault of a project and funds it', async () => {
        expect(await findFundingFaults(await browser(), hub(), backstage().rpcUrl)).toEqual([])
      })

      inBrowser('a developer enrolls, and creates a key, a webhook, a draft and a project', async () => {
        expect(await findBuildFaults(await browser(), hub())).toEqual([])
      })
    })

    person('a visitor', () => {
      inBrowser('the console leads to a verified result, and no screen has a fault', async () => {
        expect(await findConsoleFaults(await browser(), hub())).toEqual([])
      })

      inBrowser('the faucet shows each wallet only its own answer', async () => {
        expect(await findFaucetFaults(await browser(), hub())).toEqual([])
      })

      inBrowser('every screen of the console shows hostile text as plain text', async () => {
        expect(await findInjections(await browser(), hub())).toEqual([])
      })
    })

    person('an owner and a stranger', () => {
      inBrowser('a wallet signs in, binds a device, bonds, and gets its collateral back', async () => {
        expect(await findWalletFaults(await browser(), hub())).toEqual([])
      })

      inBrowser('the message of an aborted module is shown as text, escaped and bounded', async () => {
        expect(await findAbortFaults(await browser(), hub())).toEqual([])
      })
    })
  })

  // The owner lets hours pass, in which nobody else has a round or a signed action.
  inBrowser('an owner claims what its devices earned, and reviews the project', async () => {
    expect(await findEarningsFaults(await browser(), hub())).toEqual([])
  })

  // Reviews are of owners that were paid.
  describe('operators at the same time', { concurrent: true }, () => {
    inBrowser('an operator approves a project, bans a device, and reverts both', async () => {
      expect(await findOperatorFaults(await browser(), hub(), backstage().folder)).toEqual([])
    })

    inBrowser('an operator adds a validator and removes it', async () => {
      expect(await findValidatorFaults(await browser(), hub(), backstage().folder)).toEqual([])
    })
  })

  inBrowser('an owner disputes slashes, an operator cancels one and upholds the other', async () => {
    expect(await findDisputeFaults(await browser(), hub())).toEqual([])
  })
}
