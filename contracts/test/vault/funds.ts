import { beforeEach, describe, expect, test } from 'vitest'
import { by, developer, eth, type Network, roles, stranger } from '../network.ts'
import { network, refused, refusedAs } from '../use-network.ts'
import {
  day,
  did,
  fund,
  hour,
  noticeSecs,
  openFunded,
  projectId,
  receiptHash,
  root,
  vault,
} from './fixture.ts'

export function testFunds(): void {
  describe('fund', () => {
    test('books the received amount and emits an event', async () => {
      expect(await fund()).toContainEqual({ event: 'VaultFunded', from: developer.address, amount: eth(100) })
      const token = expect.stringMatching(new RegExp(network.addresses.token, 'i'))
      expect(await vault.read.summary()).toEqual({
        ...{ projectId, developer: developer.address, token, balance: eth(100), totalFunded: eth(100) },
        ...{ reserved: 0n, totalPaid: 0n, pendingWithdrawal: 0n, withdrawalAvailableAt: 0n },
      })
    })

    test('books tokens sent without a call once, and refuses a call without new tokens', async () => {
      await refused(vault.simulate.fund([0n], by.stranger), ['NothingFunded'])
      await network.give(vault.address, eth(5))
      expect(await did(vault.write.fund([0n], by.stranger))).toEqual([
        { event: 'VaultFunded', from: stranger.address, amount: eth(5) },
      ])
      await refused(vault.simulate.fund([0n], by.stranger), ['NothingFunded'])
      await refusedAs(vault.simulate.fund([1n], by.stranger), 'ERC20InsufficientAllowance')
    })
  })

  describe('withdrawal by the developer', () => {
    const dayCap = eth(20)
    /** A vault whose epochs last a day, with 100 tokens. */
    let daily: ReturnType<Network['vaultAt']>
    beforeEach(async () => {
      // At noon, so that no day ends while a test runs.
      await network.passTo(((await network.now()) / day + 1n) * day + 12n * hour)
      daily = await openFunded('daily-tide', day, dayCap)
    })

    const announce = (amount: bigint) =>
      network.events(daily, daily.write.requestWithdrawal([amount], by.developer))
    const yesterday = async () => (await network.now()) / day - 1n
    const postYesterday = async (miner: bigint) => {
      const sums = { miner, developer: 0n, treasury: 0n }
      await network.mined(daily.write.postEpoch([await yesterday(), root, receiptHash, sums], by.poster))
    }
    const isNotAvailable = () => refusedAs(daily.simulate.withdraw(by.developer), 'WithdrawalNotAvailable')
    const withdraw = async () => {
      const before = await network.balanceOf(developer.address)
      await network.mined(daily.write.withdraw(by.developer))
      return (await network.balanceOf(developer.address)) - before
    }

    test('is possible only after a public notice', async () => {
      const said = await announce(eth(40))
      const availableAt = (await network.now()) + noticeSecs
      const expiresAt = availableAt + noticeSecs
      expect(said).toEqual([{ event: 'WithdrawalRequested', amount: eth(40), availableAt, expiresAt }])
      expect((await daily.read.summary()).pendingWithdrawal).toBe(eth(40))
      await network.passTo(availableAt - 1n)
      const early = daily.simulate.withdraw(by.developer)
      await refused(early, ['WithdrawalNotAvailable', availableAt, expiresAt])
      await network.client.setNextBlockTimestamp({ timestamp: availableAt })
      const paid = { event: 'FundsWithdrawn', developer: developer.address, amount: eth(40) }
      expect(await network.events(daily, daily.write.withdraw(by.developer))).toContainEqual(paid)
      expect(await daily.read.freeBalance()).toBe(eth(60))
      await isNotAvailable()
    })

    test('an announced amount is not free for tasks, and past work is paid before it', async () => {
      await announce(eth(95))
      expect(await daily.read.freeBalance()).toBe(eth(5))
      await network.pass(noticeSecs)
      await postYesterday(eth(10))
      expect(await daily.read.freeBalance()).toBe(0n)
      expect((await daily.read.summary()).reserved).toBe(eth(10))
    })

    test('leaves enough to post an epoch that has ended, even if it comes first in the block', async () => {
      await announce(eth(100))
      await network.pass(noticeSecs)
      const at = await yesterday()
      await network.client.setAutomine(false)
      const feesOf = (gwei: bigint) => {
        const fee = gwei * 10n ** 9n
        return { maxFeePerGas: fee, maxPriorityFeePerGas: fee, gas: 500_000n }
      }
      const whole = { miner: eth(18), developer: eth(1), treasury: eth(1) }
      // The one that pays more comes first in the block.
      const sent = [
        daily.write.withdraw({ ...by.developer, ...feesOf(100n) }),
        daily.write.postEpoch([at, root, receiptHash, whole], { ...by.poster, ...feesOf(50n) }),
      ]
      await Promise.all(sent)
      await network.client.mine({ blocks: 1 })
      await network.client.setAutomine(true)
      const receipts = await Promise.all(sent.map(network.receiptOf))
      expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
      expect(receipts[0]!.transactionIndex).toBeLessThan(receipts[1]!.transactionIndex)
      // The cap of the running epoch stays besides.
      expect(await daily.read.summary()).toMatchObject({ balance: eth(40), reserved: eth(20) })
    })

    test('leaves the caps of the running epoch and of the unposted epochs of the last day', async () => {
      await announce(eth(100))
      await network.pass(noticeSecs)
      const before = await network.client.snapshot()
      expect(await withdraw()).toBe(eth(60))
      await network.client.revert({ id: before })
      await postYesterday(eth(7))
      expect(await withdraw()).toBe(eth(100 - 20 - 7))
    })

    test('leaves the caps of 25 epochs in a vault with epochs of an hour', async () => {
      const hourly = await openFunded('hourly-tide', hour, eth(2))
      await network.mined(hourly.write.requestWithdrawal([eth(100)], by.developer))
      await network.pass(noticeSecs)
      await network.mined(hourly.write.withdraw(by.developer))
      expect((await hourly.read.summary()).balance).toBe(eth(50))
    })

    test('takes the whole balance after more than a day of terms without payments', async () => {
      const from = ((await network.now()) / day + 1n) * day
      await network.mined(daily.write.setTerms([from, 86_400, 0n], by.developer))
      await network.passTo(from)
      await announce(eth(100))
      await network.pass(noticeSecs)
      expect(await withdraw()).toBe(eth(100))
    })

    test('is refused if no amount is free', async () => {
      const small = await openFunded('small-tide', day, dayCap, eth(40))
      await network.mined(small.write.requestWithdrawal([eth(40)], by.developer))
      await network.pass(noticeSecs)
      await refused(small.simulate.withdraw(by.developer), ['NothingFree'])
      await network.mined(small.write.fund([eth(1)], by.developer))
      await small.simulate.withdraw(by.developer)
    })

    test('is no longer possible after its announcement expires', async () => {
      await announce(eth(40))
      const { expiresAt } = await daily.read.pendingWithdrawal()
      await network.passTo(expiresAt - 1n)
      await daily.simulate.withdraw(by.developer)
      expect(await daily.read.freeBalance()).toBe(eth(60))
      await network.passTo(expiresAt)
      await isNotAvailable()
      expect((await daily.read.summary()).pendingWithdrawal).toBe(0n)
      expect(await daily.read.freeBalance()).toBe(eth(100))
    })

    test('a later announcement replaces an earlier one, and an announcement of 0 cancels it', async () => {
      await announce(eth(40))
      await network.pass(noticeSecs)
      await announce(eth(50))
      await isNotAvailable()
      await announce(0n)
      await network.pass(noticeSecs)
      await isNotAvailable()
    })

    test('only the developer can announce and withdraw', async () => {
      const notDeveloper = ['NotDeveloper', await daily.read.projectId(), roles.poster]
      await refused(daily.simulate.requestWithdrawal([1n], by.poster), notDeveloper)
      await refused(daily.simulate.withdraw(by.poster), notDeveloper)
    })
  })
}
