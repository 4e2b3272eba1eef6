import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser, testBrowserPath } from '../scripts/browser.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { findConsoleFaults } from '../testing/console.ts'
import { findAbortFaults } from '../testing/console-abort.ts'
import { findBuildFaults } from '../testing/console-build.ts'
import { findDisputeFaults } from '../testing/console-disputes.ts'
import { findFundingFaults } from '../testing/console-fund.ts'
import { findInjections } from '../testing/console-hostile.ts'
import { findOperatorFaults } from '../testing/console-operate.ts'
import { findValidatorFaults } from '../testing/console-validators.ts'
import { findWalletFaults } from '../testing/console-wallet.ts'
import { type SampleNetwork, startSampleNetwork } from '../testing/sample-network.ts'

// Nodes work and blocks come while a person looks, each in the time the machine has for it.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

const chromium = testBrowserPath()

describe.skipIf(!hasAnvil || chromium === undefined)('the console of a local network', () => {
  let network: SampleNetwork
  /** Each page has a context of its own in it. */
  let browser: Browser
  beforeAll(async () => {
    network = await startSampleNetwork()
    browser = await openBrowser(chromium!)
  })
  afterAll(async () => {
    await browser?.close()
    await network?.stop()
  })

  // Several people use the console at the same time, each in a page of their own.
  describe('for a visitor and a funder', () => {
    test.concurrent('leads to a verified result, and no screen has a fault', async () => {
      expect(await findConsoleFaults(browser, network.origin)).toEqual([])
    })

    test.concurrent('a wallet of the browser opens the vault of a project and funds it', async () => {
      expect(await findFundingFaults(browser, network.origin, network.rpcUrl)).toEqual([])
    })
  })

  test('a developer enrolls, and creates a key, a webhook, a draft and a project', async () => {
    expect(await findBuildFaults(browser, network.origin)).toEqual([])
  })

  // The owner lets hours pass, in which nobody else has a round or a signed action.
  describe('with hostile texts, and for an owner', () => {
    test.concurrent('every screen shows hostile text as plain text', async () => {
      expect(await findInjections(browser, network.origin)).toEqual([])
    })

    test.concurrent('a wallet signs in, binds a device, bonds, gets its collateral back, and claims', async () => {
      expect(await findWalletFaults(browser, network.origin)).toEqual([])
    })
  })

  // Reviews are of owners that were paid.
  describe('for operators', () => {
    test.concurrent('an operator approves a project, bans a device, and reverts both', async () => {
      expect(await findOperatorFaults(browser, network.origin, network.keepLetter)).toEqual([])
    })

    test.concurrent('an operator adds a validator and removes it', async () => {
      expect(await findValidatorFaults(browser, network.origin, network.keepPending)).toEqual([])
    })
  })

  test('an owner disputes slashes, an operator cancels one and upholds the other', async () => {
    expect(await findDisputeFaults(browser, network.origin)).toEqual([])
  })

  test('the message of an aborted module is shown as text, escaped and bounded', async () => {
    expect(await findAbortFaults(browser, network.origin)).toEqual([])
  })
})
