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
import { network, refused } from '../use-network.ts'
import { claim, hour, miner, openVault, receiptHash, release, root, rowsOf, type totals } from './fixture.ts'

export function testTokens(): void {
  describe('tokens of the developer’s choice', () => {
    type TokenAbi = typeof callbackTokenAbi | typeof feeTokenAbi | typeof issuerTokenAbi
    /** A vault of another token, with `amount` of it. */
    const openVaultWith = async (abi: TokenAbi, bytecode: Hex, amount: bigint) => {
      const { address: token } = await network.deploy(abi, bytecode, developer.address)
      const other = await openVault('other-token', token)
      const { write } = network.at(feeTokenAbi, token)
      await network.mined(write.approve([other.address, eth(1_000)], by.developer))
      await network.mined(other.write.fund([amount], by.developer))
      const at = (await other.read.latestTerms()).from / hour
      const payAt = async (payouts: bigint[], sums: Omit<ReturnType<typeof totals>, 'miner'>) => {
        const leaves = payouts.map((one, i) => ({ miner: miner(i), amount: String(one) }))
        const tree = buildPayoutTree(await other.read.projectId(), Number(at), leaves)!
        await network.passTo((at + 1n) * hour)
        const all = { ...sums, miner: payouts.reduce((sum, one) => sum + one, 0n) }
        await network.mined(other.write.postEpoch([at, tree.root, receiptHash, all], by.poster))
        await release()
        return rowsOf(tree, at)
      }
      return { token, other, at, payAt }
    }

    test('the vault books the received amount of a token that keeps a fee', async () => {
      const { other } = await openVaultWith(feeTokenAbi, feeTokenBytecode, eth(10))
      expect(await other.read.freeBalance()).toBe(eth(9))
    })

    test.each(['fund', 'claim'] as const)(
      'a token that calls %s during a payment does not change the books',
      async (call) => {
        const opened = await openVaultWith(callbackTokenAbi, callbackTokenBytecode, eth(10))
        const { token, other, payAt } = opened
        const callback = network.at(callbackTokenAbi, token)
        const [row] = await payAt([eth(4), eth(5)], { developer: 0n, treasury: 0n })
        const [args] = call === 'fund' ? [[0n] as const] : claim(row!)
        const data = encodeFunctionData({ abi: other.abi, functionName: call, args } as never)
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
        const vaultWith = await openVaultWith(issuerTokenAbi, issuerTokenBytecode, eth(100))
        const { token, other, at, payAt } = vaultWith
        const issuer = network.at(issuerTokenAbi, token)
        const rows = await payAt([eth(10), eth(10), eth(10)], { developer: eth(3), treasury: eth(1) })
        const refuse = (account: Address, isRefused: boolean) =>
          network.mined(issuer.write.refuse([account, isRefused], by.developer))
        return { issuer, other, at, rows, refuse }
      }

      test('one refused miner does not stop the batch, and is paid when the token accepts it again', async () => {
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
        const paid = (developer: bigint, treasury: bigint) => {
          return { event: 'FeesPaid', epoch: at, developer, treasury }
        }
        expect(await pay()).toContainEqual(paid(eth(3), 0n))
        await refused(other.simulate.payFees([at], by.stranger), ['NoFees', at])
        expect(await other.read.epochOf([at])).toMatchObject({ developer: 0n, treasury: eth(1) })
        await refuse(treasury, false)
        expect(await pay()).toContainEqual(paid(0n, eth(1)))
        expect(await issuer.read.balanceOf([treasury])).toBe(eth(1))
        await refused(other.simulate.payFees([at], by.stranger), ['NoFees', at])
      })

      test('removed tokens are not free, and the vault can be funded again', async () => {
        const { issuer, other, at } = await opened()
        await network.mined(issuer.write.take([other.address, eth(80)], by.developer))
        // 100 in the books, 34 of them reserved, 20 there.
        expect(await other.read.freeBalance()).toBe(0n)
        const attempt = (sum: bigint) => {
          const sums = { miner: sum, developer: 0n, treasury: 0n }
          return other.simulate.postEpoch([at + 1n, root, receiptHash, sums], by.poster)
        }
        await refused(attempt(1n), ['Underfunded', 0n, 1n])
        const said = await network.events(other, other.write.fund([eth(30)], by.developer))
        expect(said).toContainEqual({ event: 'VaultFunded', from: developer.address, amount: eth(30) })
        expect(await other.read.freeBalance()).toBe(eth(16))
        await refused(attempt(eth(16) + 1n), ['Underfunded', eth(16), eth(16) + 1n])
        await attempt(eth(16))
        await refused(other.simulate.fund([0n], by.stranger), ['NothingFunded'])
      })
    })
  })
}
