import { concat, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { buildPayoutTree } from '../../../protocol/earnings/index.ts'
import { by, bytes32, developer, eth, treasury } from '../network.ts'
import { network, refused } from '../use-network.ts'
import {
  claim,
  claiming,
  did,
  epoch,
  fund,
  miner,
  post,
  postTree,
  projectId,
  release,
  root,
  rowsOf,
  totals,
  vault,
} from './fixture.ts'

export function testPayments(): void {
  describe('claim', () => {
    test.each([1, 2, 3, 6, 7, 13])(
      'anyone can claim every leaf of a tree of %i for its miner, once',
      async (count) => {
        await fund()
        const tree = await postTree(count)
        await release()
        for (const row of rowsOf(tree)) {
          const { miner, amount } = row
          const said = await did(vault.write.claim(...claim(row)))
          expect(said).toContainEqual({ event: 'Claimed', epoch, miner, amount })
          expect(await network.balanceOf(miner)).toBe(amount)
          expect(await vault.read.claimedOf([epoch, miner])).toBe(amount)
          await refused(claiming(row), ['AlreadyClaimed', epoch, miner])
        }
        expect((await vault.read.epochOf([epoch])).unclaimed).toBe(0n)
      },
    )

    test('waits for the end of the challenge period', async () => {
      await fund()
      const [row] = rowsOf(await postTree(2))
      const { releaseAt } = await vault.read.epochOf([epoch])
      await network.passTo(releaseAt - 1n)
      await refused(claiming(row!), ['NotClaimable', epoch, releaseAt])
      await refused(vault.simulate.claimMany([[row!]], by.stranger), ['NotClaimable', epoch, releaseAt])
      await refused(vault.simulate.payFees([epoch], by.stranger), ['NotClaimable', epoch, releaseAt])
      await network.passTo(releaseAt)
      await claiming(row!)
    })

    test('a proof is valid only for its epoch, miner and amount', async () => {
      await fund()
      const [row] = rowsOf(await postTree(4))
      await postTree(5, epoch + 1n)
      await release()
      const { amount, proof } = row!
      for (const over of [
        { amount: amount + 1n },
        { amount: 0n },
        { miner: miner(99) },
        { epoch: epoch + 1n },
        { proof: proof.slice(1) },
        { proof: [...proof, root] },
      ]) {
        const other = { ...row!, ...over }
        await refused(claiming(other), ['InvalidProof', other.epoch, other.miner])
      }
      await refused(claiming({ ...row!, epoch: epoch + 2n }), ['UnknownEpoch', epoch + 2n])
    })

    test('a proof of another project is not valid', async () => {
      await fund()
      const foreign = buildPayoutTree(bytes32(0xf0), Number(epoch), [{ miner: miner(0), amount: '5' }])!
      await post(totals(5n), foreign.root)
      await release()
      await refused(claiming(rowsOf(foreign)[0]!), ['InvalidProof', epoch, miner(0)])
    })

    test('a root that proves more than the total pays only the total', async () => {
      await fund()
      const payouts = [0, 1].map((i) => ({ miner: miner(i), amount: String(eth(50)) }))
      const tree = buildPayoutTree(projectId, Number(epoch), payouts)!
      await post({ miner: eth(60), developer: 0n, treasury: 0n }, tree.root)
      await release()
      const [first, second] = rowsOf(tree)
      await network.mined(vault.write.claim(...claim(first!)))
      await refused(claiming(second!), ['ExceedsTotal', epoch, eth(10), eth(50)])
    })

    test('a root with two leaves for a miner pays one of them', async () => {
      await fund()
      const rootOf = (amount: string) =>
        buildPayoutTree(projectId, Number(epoch), [{ miner: miner(0), amount }])!.root
      const [one, two] = [rootOf('1'), rootOf('2')]
      const both = keccak256(concat(one < two ? [one, two] : [two, one]))
      await post(totals(eth(1)), both)
      await release()
      await network.mined(vault.write.claim(...claim({ epoch, miner: miner(0), amount: 1n, proof: [two] })))
      const second = claiming({ epoch, miner: miner(0), amount: 2n, proof: [one] })
      await refused(second, ['AlreadyClaimed', epoch, miner(0)])
    })
  })

  describe('claimMany', () => {
    test('pays leaves of several epochs and skips leaves that were claimed before', async () => {
      await fund()
      const first = rowsOf(await postTree(3))
      const second = rowsOf(await postTree(4, epoch + 1n), epoch + 1n)
      await release()
      await network.mined(vault.write.claim(...claim(first[1]!)))
      const { result } = await vault.simulate.claimMany([[...first, ...second]], by.stranger)
      expect(result).toBe(eth(6 - 2 + 10))
      const said = await did(vault.write.claimMany([[...first, ...second]], by.stranger))
      expect(said.filter(({ event }) => event === 'Claimed')).toHaveLength(6)
      expect(await network.balanceOf(miner(0))).toBe(eth(2))
      expect(await network.balanceOf(miner(1))).toBe(eth(4))
      expect((await vault.read.summary()).totalPaid).toBe(eth(16))
    })

    test('a leaf that occurs twice in a batch is paid once', async () => {
      await fund()
      const [row] = rowsOf(await postTree(3))
      await release()
      await network.mined(vault.write.claimMany([[row!, row!, row!]], by.stranger))
      expect(await network.balanceOf(row!.miner)).toBe(row!.amount)
    })

    test('one invalid leaf reverts the whole batch', async () => {
      await fund()
      const [one, two] = rowsOf(await postTree(3))
      await release()
      const batch = [one!, { ...two!, amount: 1n }]
      await refused(vault.simulate.claimMany([batch], by.stranger), ['InvalidProof', epoch, two!.miner])
    })

    test('takes 100 payouts and no more', async () => {
      await network.give(developer.address, eth(10_000))
      await network.mined(network.token.write.approve([vault.address, eth(10_000)], by.developer))
      await fund(eth(10_000))
      const rows = rowsOf(await postTree(101))
      await release()
      await refused(vault.simulate.claimMany([rows], by.stranger), ['TooManyClaims', 101n, 100n])
      await network.mined(vault.write.claimMany([rows.slice(0, 100)], by.stranger))
      expect((await vault.read.epochOf([epoch])).unclaimed).toBe(rows[100]!.amount)
    })
  })

  describe('fees', () => {
    test('are paid once to developer and treasury, from any sender', async () => {
      await fund()
      await postTree(3)
      await release()
      const before = await network.balanceOf(developer.address)
      const paid = { event: 'FeesPaid', epoch, developer: eth(3), treasury: eth(1) }
      expect(await did(vault.write.payFees([epoch], by.stranger))).toContainEqual(paid)
      expect((await network.balanceOf(developer.address)) - before).toBe(eth(3))
      expect(await network.balanceOf(treasury)).toBe(eth(1))
      await refused(vault.simulate.payFees([epoch], by.stranger), ['NoFees', epoch])
    })

    test('can be zero for developer, treasury or both', async () => {
      await fund()
      await post({ miner: 1n, developer: 0n, treasury: 0n })
      await post({ miner: 1n, developer: 0n, treasury: 2n }, root, epoch + 1n)
      await post({ miner: 1n, developer: 2n, treasury: 0n }, root, epoch + 2n)
      await release()
      await refused(vault.simulate.payFees([epoch], by.stranger), ['NoFees', epoch])
      await network.mined(vault.write.payFees([epoch + 1n], by.stranger))
      await network.mined(vault.write.payFees([epoch + 2n], by.stranger))
      expect(await network.balanceOf(treasury)).toBe(2n)
    })
  })
}
