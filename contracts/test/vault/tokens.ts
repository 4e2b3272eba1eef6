import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { buildPayoutTree } from '../../../protocol/earnings/index.ts'
import {
  callbackTokenAbi,
  callbackTokenBytecode,
  feeTokenAbi,
  feeTokenBytecode,
  issuerTokenAbi,
  issuerTokenBytecode,
} from '../../generated/mocks.ts'
import { by, developer, eth, treasury } from '../network.ts'
import { refused } from '../use-network.ts'
import { claim, hour, miner, network, openVault, receiptHash, release, root, rowsOf } from './fixture.ts'

/** What tokens do that the network did not make. */
export function testTokens(): void {
  describe('tokens of the developer’s choice', () => {
    type TokenAbi = typeof callbackTokenAbi | typeof feeTokenAbi | typeof issuerTokenAbi
    const openVaultWith = async (abi: TokenAbi, bytecode: Hex) => {
      const hash = network.client.deployContract({ abi, bytecode, account: developer.address })
      const token = (await network.receiptOf(hash)).contractAddress!
      const other = await openVault('other-token', token)
      const at = (await other.read.latestTerms()).from / hour
      return { token, other, otherProject: await other.read.projectId(), at }
    }

    test('a token that keeps a fee books what arrived', async () => {
      const { token, other } = await openVaultWith(feeTokenAbi, feeTokenBytecode)
      await network.mined(
        network.at(feeTokenAbi, token).write.approve([other.address, eth(10)], by.developer),
      )
      await network.mined(other.write.fund([eth(10)], by.developer))
      expect(await other.read.freeBalance()).toBe(eth(9))
    })

    test.each(['fund', 'claim'] as const)(
      'a token that calls %s from within a payment changes nothing in the books',
      async (call) => {
        const { token, otherProject, other, at } = await openVaultWith(
          callbackTokenAbi,
          callbackTokenBytecode,
        )
        const callback = network.at(callbackTokenAbi, token)
        await network.mined(callback.write.approve([other.address, eth(10)], by.developer))
        await network.mined(other.write.fund([eth(10)], by.developer))
        const tree = buildPayoutTree(otherProject, Number(at), [
          { miner: miner(0), amount: String(eth(4)) },
          { miner: miner(1), amount: String(eth(5)) },
        ])!
        await network.passTo((at + 1n) * hour)
        const sum = { miner: eth(9), developer: 0n, treasury: 0n }
        await network.mined(other.write.postEpoch([at, tree.root, receiptHash, sum], by.poster))
        await release()
        const [row] = rowsOf(tree, at)
        const data =
          call === 'fund'
            ? encodeFunctionData({ abi: other.abi, functionName: 'fund', args: [0n] })
            : encodeFunctionData({
                abi: other.abi,
                functionName: 'claim',
                args: [at, row!.miner, row!.amount, row!.proof],
              })
        await network.mined(callback.write.arm([other.address, data], by.developer))
        await network.mined(other.write.claim(...claim(row!)))
        // ReentrancyGuardReentrantCall()
        expect(await callback.read.answer()).toBe('0x3ee5aeb5')
        expect(await other.read.summary()).toMatchObject({
          balance: eth(6),
          totalFunded: eth(10),
          totalPaid: eth(4),
          reserved: eth(5),
        })
      },
    )

    describe('an issuer that refuses accounts and takes tokens away', () => {
      const opened = async () => {
        const { token, other, otherProject, at } = await openVaultWith(issuerTokenAbi, issuerTokenBytecode)
        const issuer = network.at(issuerTokenAbi, token)
        await network.mined(issuer.write.approve([other.address, eth(1_000)], by.developer))
        await network.mined(other.write.fund([eth(100)], by.developer))
        const payouts = [0, 1, 2].map((i) => ({ miner: miner(i), amount: String(eth(10)) }))
        const tree = buildPayoutTree(otherProject, Number(at), payouts)!
        await network.passTo((at + 1n) * hour)
        const sums = { miner: eth(30), developer: eth(3), treasury: eth(1) }
        await network.mined(other.write.postEpoch([at, tree.root, receiptHash, sums], by.poster))
        await release()
        const refuse = (account: Address, isRefused: boolean) =>
          network.mined(issuer.write.refuse([account, isRefused], by.developer))
        return { issuer, other, at, rows: rowsOf(tree, at), refuse }
      }

      test('one refused miner does not stop the batch, and is paid once the token takes it again', async () => {
        const { issuer, other, at, rows, refuse } = await opened()
        await refuse(miner(1), true)
        const said = await network.events(other, other.write.claimMany([rows], by.stranger))
        expect(said.filter(({ event }) => event === 'Claimed')).toHaveLength(2)
        expect(await issuer.read.balanceOf([miner(0)])).toBe(eth(10))
        expect(await issuer.read.balanceOf([miner(2)])).toBe(eth(10))
        expect(await other.read.claimedOf([at, miner(1)])).toBe(0n)
        expect((await other.read.epochOf([at])).unclaimed).toBe(eth(10))
        expect(await other.read.summary()).toMatchObject({ totalPaid: eth(20), reserved: eth(14) })
        const row = rows.find((one) => one.miner === miner(1))!
        await refused(other.simulate.claim(...claim(row)), ['Error', 'refused'])
        await refuse(miner(1), false)
        expect((await other.simulate.claimMany([rows], by.stranger)).result).toBe(eth(10))
        await network.mined(other.write.claim(...claim(row)))
        expect(await issuer.read.balanceOf([miner(1)])).toBe(eth(10))
      })

      test('fees of developer and treasury do not depend on each other', async () => {
        const { issuer, other, at, refuse } = await opened()
        const pay = () => network.events(other, other.write.payFees([at], by.stranger))
        await refuse(treasury, true)
        expect(await pay()).toContainEqual({
          event: 'FeesPaid',
          epoch: at,
          developer: eth(3),
          treasury: 0n,
        })
        await refused(other.simulate.payFees([at], by.stranger), ['NoFees', at])
        expect(await other.read.epochOf([at])).toMatchObject({ developer: 0n, treasury: eth(1) })
        await refuse(treasury, false)
        expect(await pay()).toContainEqual({
          event: 'FeesPaid',
          epoch: at,
          developer: 0n,
          treasury: eth(1),
        })
        expect(await issuer.read.balanceOf([treasury])).toBe(eth(1))
        await refused(other.simulate.payFees([at], by.stranger), ['NoFees', at])
      })

      test('tokens taken away are not free, and the vault can be funded again', async () => {
        const { issuer, other, at } = await opened()
        await network.mined(issuer.write.take([other.address, eth(80)], by.developer))
        // 100 in the books, 34 of them reserved, 20 there.
        expect(await other.read.freeBalance()).toBe(0n)
        const attempt = (sum: bigint) =>
          other.simulate.postEpoch(
            [at + 1n, root, receiptHash, { miner: sum, developer: 0n, treasury: 0n }],
            by.poster,
          )
        await refused(attempt(1n), ['Underfunded', 0n, 1n])
        expect(await network.events(other, other.write.fund([eth(30)], by.developer))).toContainEqual({
          event: 'VaultFunded',
          from: developer.address,
          amount: eth(30),
        })
        expect(await other.read.freeBalance()).toBe(eth(16))
        await refused(attempt(eth(16) + 1n), ['Underfunded', eth(16), eth(16) + 1n])
        await attempt(eth(16))
        await refused(other.simulate.fund([0n], by.stranger), ['NothingFunded'])
      })
    })
  })
}
