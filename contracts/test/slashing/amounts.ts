import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  deriveOffenceId,
  type Evidence,
  hashEvidence,
  type Offence,
  offences,
  slashAmount,
} from '../../../protocol/slashing/index.ts'
import { settlementReferenceAbi, settlementReferenceBytecode } from '../../generated/mocks.ts'
import { bytes32 } from '../network.ts'
import { network } from '../use-network.ts'
import { act, amount, collateral, id, nodeKey, projectId, secs } from './fixture.ts'

const evidenceOf = (kind: Offence, round: number): Evidence => ({
  v: 1,
  kind,
  project_id: projectId,
  epoch: 7,
  round_id: `task:${bytes32(round)}`,
  subscription_id: id,
  node_key: nodeKey,
  consensus_hash: bytes32(3),
  proof: {},
})

export function testAmounts(): void {
  test('property: the amount of a slash is the same in Solidity', async () => {
    const reference = await network.deploy(settlementReferenceAbi, settlementReferenceBytecode)
    const cases = fc.array(
      fc.record({
        bonded: fc.oneof(fc.bigInt({ min: 0n, max: 20_000n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
        bp: fc.nat(10_000),
      }),
      { minLength: 1, maxLength: 200, size: 'max' },
    )
    await fc.assert(
      fc.asyncProperty(cases, async (list) => {
        const amounts = await reference.read.slashAmounts([
          list.map(({ bonded }) => bonded),
          list.map(({ bp }) => BigInt(bp)),
        ])
        expect(list.map(({ bonded, bp }) => slashAmount(String(bonded), bp))).toEqual(amounts.map(String))
      }),
      { numRuns: 20 },
    )
  })

  test('property: each of several slashes takes its amount or the remaining collateral, in any order', async () => {
    const cases = fc
      .array(fc.record({ kind: fc.constantFrom(...offences), bp: fc.integer({ min: 1, max: 10_000 }) }), {
        minLength: 1,
        maxLength: 4,
      })
      .map((list) =>
        list.map(({ kind, bp }, round) => ({
          evidence: evidenceOf(kind, round),
          taken: BigInt(slashAmount(String(amount), bp)),
        })),
      )
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })))
    await fc.assert(
      fc.asyncProperty(cases, async ([proposedInOrder, executedInOrder]) => {
        const snapshot = await network.client.snapshot()
        for (const { evidence, taken } of proposedInOrder)
          await act.propose(hashEvidence(evidence), taken, deriveOffenceId(evidence))
        await network.pass(secs.window + secs.grace)
        let left = amount
        for (const { evidence, taken } of executedInOrder) {
          const expected = taken < left ? taken : left
          left -= expected
          expect(await act.execute(hashEvidence(evidence))).toContainEqual({
            event: 'SlashExecuted',
            evidenceHash: hashEvidence(evidence),
            subscriptionId: id,
            amount: expected,
          })
          expect(await collateral()).toBe(left)
        }
        await network.client.revert({ id: snapshot })
      }),
      { numRuns: 10 },
    )
  })
}
