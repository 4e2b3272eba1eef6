import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultNetworkParams, resolveProfile } from '../identity/index.ts'
import type { ProjectRules } from '../manifest/index.ts'
import { withShuffled } from '../testing/arbitraries.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  attemptStart,
  buildEpochReceipt,
  hashEpochReceipt,
  parseEpochReceipt,
  receiptWaitsUntil,
  recomputeEpochReceipt,
} from './epoch-receipt.ts'
import { hashPayoutLeaf, verifyPayoutProof } from './merkle.ts'
import { type CreditedRecord, capUnits, sumUnits } from './rewards.ts'

describeVectors('receipt-v2')

const profile = resolveProfile()
const known = JSON.parse(readFileSync(new URL('../vectors/receipt-v2.json', import.meta.url), 'utf8'))
const consensus: ProjectRules = known.common.consensus
const projectId = `0x${'6a'.repeat(32)}`
const someUnits = fc
  .uniqueArray(fc.integer({ min: 1, max: 10 ** 6 }), { minLength: 1, maxLength: 8 })
  .map((ids) =>
    ids
      .map((id) => ({ miner: `0x${id.toString(16).padStart(40, '0')}`, units: id }))
      .sort((a, b) => (a.miner < b.miner ? -1 : 1)),
  )

property(
  'a built receipt reads back, recomputes, and its proofs pay every recipient',
  [someUnits, fc.nat()],
  (units, epoch) => {
    const built = buildEpochReceipt(profile, { project_id: projectId, epoch, consensus, units })!
    const receipt = { ...built.body, receipt_hash: hashEpochReceipt(built.body), attestations: [] }
    expect(parseEpochReceipt(JSON.parse(JSON.stringify(receipt)))).toEqual(receipt)
    const sum = units.reduce((total, one) => total + one.units, 0)
    const isCapped = sum > consensus.economics.max_units_per_epoch
    expect('built' in recomputeEpochReceipt(profile, receipt, consensus)).toBe(!isCapped)
    const leafTotal = built.tree.leaves.reduce((total, leaf) => total + BigInt(leaf.amount), 0n)
    expect(String(leafTotal)).toBe(receipt.totals.miner)
    for (const { miner, amount, proof } of built.tree.leaves) {
      const leaf = hashPayoutLeaf(projectId, epoch, { miner, amount })
      expect(verifyPayoutProof(receipt.merkle_root, leaf, proof)).toBe(true)
    }
  },
  { numRuns: 40 },
)

test('property: the receipt hash does not depend on the order of final records and voters', () => {
  const records = fc.array(
    fc.record({
      gas_used: fc.nat(10 ** 8),
      voters: fc.array(
        fc.nat(12).map((n) => ({ payout_address: `0x${n.toString(16).padStart(40, '0')}` })),
        { minLength: 1, maxLength: 5 },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  )
  const shuffled = withShuffled(records)
  const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
  const hashOf = (list: readonly CreditedRecord[]) => {
    const units = capUnits(sumUnits(list, 10 ** 6), max_recipients_per_epoch, max_units_per_epoch)
    return hashEpochReceipt(
      buildEpochReceipt(profile, { project_id: projectId, epoch: 7, consensus, units })!.body,
    )
  }
  fc.assert(
    fc.property(shuffled, ([list, again]) => {
      const reversed = again.map((one) => ({ ...one, voters: [...one.voters].reverse() }))
      expect(hashOf(reversed)).toBe(hashOf(list))
    }),
    { numRuns: 40 },
  )
})

test('attempts start one after the other once the epoch has settled', () => {
  expect(attemptStart(10, 3600, 0, defaultNetworkParams)).toBe(11 * 3600 + 120)
  expect(attemptStart(10, 3600, 3, defaultNetworkParams)).toBe(11 * 3600 + 120 + 360)
})

test('a receipt waits for open rounds until the time for the last of them is over', () => {
  expect(receiptWaitsUntil(10, { epoch_secs: 3600, round_secs: 90 })).toBe(11 * 3600 + 90 + 360)
})
