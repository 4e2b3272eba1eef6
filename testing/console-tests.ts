import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, testBrowserPath } from '../scripts/browser.ts'
import { findConsoleFaults } from './console.ts'
import { findAbortFaults } from './console-abort.ts'
import { findBuildFaults } from './console-build.ts'
import { findDisputeFaults } from './console-disputes.ts'
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
 */
export function testConsole(hub: () => string, backstage: () => Backstage): void {
  const chromium = testBrowserPath()
  describe.skipIf(chromium === undefined)('the console', () => {
    /** Each page has a context of its own in it. */
    let browser: Browser
    beforeAll(async () => {
      browser = await openBrowser(chromium!)
    })
    afterAll(() => browser?.close())

    // Several people use the console at the same time, each in a page of their own.
    describe('for a visitor and a funder', () => {
      test.concurrent('leads to a verified result, and no screen has a fault', async () => {
        expect(await findConsoleFaults(browser, hub())).toEqual([])
      })

      test.concurrent('a wallet of the browser opens the vault of a project and funds it', async () => {
        expect(await findFundingFaults(browser, hub(), backstage().rpcUrl)).toEqual([])
      })
    })

    test('a developer enrolls, and creates a key, a webhook, a draft and a project', async () => {
      expect(await findBuildFaults(browser, hub())).toEqual([])
    })

    // The owner lets hours pass, in which nobody else has a round or a signed action.
    describe('with hostile texts, and for an owner', () => {
      test.concurrent('every screen shows hostile text as plain text', async () => {
        expect(await findInjections(browser, hub())).toEqual([])
      })

      test.concurrent('a wallet signs in, binds a device, bonds, gets its collateral back, and claims', async () => {
        expect(await findWalletFaults(browser, hub())).toEqual([])
      })
    })

    // Reviews are of owners that were paid.
    describe('for operators', () => {
      test.concurrent('an operator approves a project, bans a device, and reverts both', async () => {
        expect(await findOperatorFaults(browser, hub(), backstage().folder)).toEqual([])
      })

      test.concurrent('an operator adds a validator and removes it', async () => {
        expect(await findValidatorFaults(browser, hub(), backstage().folder)).toEqual([])
      })
    })

    test('an owner disputes slashes, an operator cancels one and upholds the other', async () => {
      expect(await findDisputeFaults(browser, hub())).toEqual([])
    })

    test('the message of an aborted module is shown as text, escaped and bounded', async () => {
      expect(await findAbortFaults(browser, hub())).toEqual([])
    })
  })
}
