import fc from 'fast-check'
import { type Address, type Hex, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { buildPayoutTree } from '../../../protocol/earnings/index.ts'
import { eachOf } from '../../../protocol/testing/arbitraries.ts'
import { settlementReferenceAbi, settlementReferenceBytecode } from '../../generated/mocks.ts'
import { bytes32, eth } from '../network.ts'
import { network } from '../use-network.ts'
import { epoch, fund, hour, miner, post, projectId, release, rowsOf, vault } from './fixture.ts'

type Row = ReturnType<typeof rowsOf>[number]

const amounts = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 20n }),
  fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
)
const payouts = eachOf(
  fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }), { minLength: 1, maxLength: 60 }),
  (number) =>
    fc.record({
      miner: fc.constant(`0x${number.toString(16).padStart(40, '0')}` as Address),
      amount: amounts.map(String),
    }),
)

/** Changes after which a claim is not in the tree. */
const alterations: readonly ((row: Row) => Row)[] = [
  (row) => ({ ...row, amount: row.amount + 1n }),
  (row) => ({ ...row, amount: row.amount - 1n }),
  (row) => ({ ...row, miner: miner(9_999) }),
  (row) => ({ ...row, epoch: row.epoch - 1n }),
  (row) => ({ ...row, proof: [...row.proof, bytes32(0)] }),
  (row) => ({ ...row, proof: row.proof.length > 0 ? row.proof.slice(1) : [bytes32(1)] }),
  (row) => ({ ...row, proof: row.proof.length > 0 ? row.proof.slice(0, -1) : [bytes32(2)] }),
  (row) => ({ ...row, proof: row.proof.length > 0 ? row.proof.with(0, bytes32(3)) : [bytes32(3)] }),
]
const sizes = Array.from({ length: 100 }, (_, i) => i + 1)
const paid: Hex = '0x00000000'
const invalidProof = toFunctionSelector('InvalidProof(uint256,address)')

export function testTrees(): void {
  describe('payout trees', () => {
    test('property: leaves, root and proofs are the same as in Solidity', async () => {
      const reference = await network.deploy(settlementReferenceAbi, settlementReferenceBytecode)
      await fc.assert(
        fc.asyncProperty(
          fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
          fc.maxSafeNat(),
          payouts,
          async (project, at, list) => {
            const id: Hex = `0x${project.toString(16).padStart(64, '0')}`
            const { root, leaves } = buildPayoutTree(id, at, list)!
            const hashes = leaves.map(({ leaf }) => leaf)
            const proofs = leaves.map(({ proof }) => proof)
            const miners = list.map((one) => one.miner)
            const values = list.map(({ amount }) => BigInt(amount))
            expect(await reference.read.leavesOf([id, BigInt(at), miners, values])).toEqual(hashes)
            expect(await reference.read.rootOf([hashes])).toBe(root)
            expect(await reference.read.verify([root, hashes, proofs])).toEqual(hashes.map(() => true))
            const shifted = [...proofs.slice(1), ...proofs.slice(0, 1)]
            expect(await reference.read.verify([root, hashes, shifted])).toEqual(
              proofs.map((proof, i) => proof.join() === shifted[i]!.join()),
            )
          },
        ),
        { numRuns: 40 },
      )
    })

    test('the vault pays every leaf of trees of 1 to 100 leaves, and no altered leaf', async () => {
      const reference = await network.deploy(settlementReferenceAbi, settlementReferenceBytecode)
      await fund(eth(1_000))
      await network.passTo((epoch + 102n) * hour)
      const trees: Row[][] = []
      for (const size of sizes) trees.push(await postRandomTree(size))
      await release()
      for (const tree of trees) {
        const claimEach = async (claims: readonly Row[]) =>
          (await reference.simulate.claimEach([vault.address, claims])).result
        expect(await claimEach(tree)).toEqual(tree.map(() => paid))
        const altered = tree.map((row, i) => alterations[(i + tree.length) % alterations.length]!(row))
        expect(await claimEach(altered)).toEqual(tree.map(() => invalidProof))
      }
    })
  })
}

/** Posts a tree of `size` leaves in an epoch of its own, with amounts that never repeat. */
async function postRandomTree(size: number): Promise<Row[]> {
  const at = epoch + BigInt(size)
  const payouts = fc
    .sample(fc.uniqueArray(fc.bigInt({ min: 2n, max: 10n ** 17n }), { minLength: size, maxLength: size }), {
      numRuns: 1,
      seed: size,
    })[0]!
    .map((amount, i) => ({ miner: miner(i), amount: String(amount) }))
  const tree = buildPayoutTree(projectId, Number(at), payouts)!
  const total = payouts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  await post({ miner: total, developer: 0n, treasury: 0n }, tree.root, at)
  return rowsOf(tree, at)
}
