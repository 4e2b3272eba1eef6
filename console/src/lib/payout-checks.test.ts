import { expect, test } from 'vitest'
import { attestEpochReceipt, buildEpochReceipt, hashEpochReceipt } from '../../../protocol/earnings/index.ts'
import { ed25519PublicKey } from '../../../protocol/signatures/index.ts'
import { coordinatorSeed, createGenerations, validatorSeeds } from '../../../testing/node/generations.ts'
import { createTestProject, profile } from '../../../testing/node/test-project.ts'
import { type EpochRecords, provePayout } from './payout-checks.ts'

const generations = createGenerations(() => null)
generations.add(validatorSeeds)
const project = createTestProject()
const wallet = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

// biome-ignore lint/suspicious/noExplicitAny: a hub that lies keeps no types.
function recordsOf(miners: number): any {
  const { consensus } = project.envelope.manifest
  const { projectId } = project
  const units = Array.from({ length: miners }, (_, index) => ({ miner: wallet(index + 1), units: index + 1 }))
  const { body } = buildEpochReceipt(profile, { project_id: projectId, epoch: 7, consensus, units })!
  const receipt_hash = hashEpochReceipt(body)
  const attestations = validatorSeeds
    .slice(0, 3)
    .map((seed) => attestEpochReceipt(profile, seed, receipt_hash))
  const { merkle_root } = body
  return structuredClone({
    ...{ profile, coordinator: ed25519PublicKey(coordinatorSeed), generations: generations.items() },
    now: 2_000_000_000,
    epoch: {
      ...{ project_id: projectId, epoch: 7, ends_at: 1_900_000_000, receipt_hash, merkle_root },
      receipt: { ...body, receipt_hash, attestations },
    },
  })
}

const judge = (records: EpochRecords, miner = wallet(1)) =>
  Object.fromEntries(
    provePayout(records, miner)
      .checks.filter(({ holds }) => holds !== true)
      .map(({ name, holds }) => [name, holds]),
  )

test.each([1, 2, 5, 9])('the payout of each of %i wallets is proved up to the root', (miners) => {
  const records = recordsOf(miners)
  for (let index = 1; index <= miners; index++) {
    expect(judge(records, wallet(index))).toEqual({})
    const { levels, leaf } = provePayout(records, wallet(index))
    expect(levels[0]?.count).toBe(miners)
    expect(levels.at(-1)).toEqual({ count: 1, at: 0 })
    expect(leaf?.miner).toBe(wallet(index))
  }
  expect(judge(records, wallet(99))).toEqual({ leaf: null })
})

test.each<[what: string, lie: (records: ReturnType<typeof recordsOf>) => void, found: object]>([
  [
    'another amount',
    ({ epoch }) => (epoch.receipt.compute_units[0].amount = '5'),
    { receipt: false, root: false, leaf: false, attested: false },
  ],
  ['another root', ({ epoch }) => (epoch.merkle_root = `0x${'ab'.repeat(32)}`), { root: false }],
  ['another epoch', ({ epoch }) => (epoch.epoch = 8), { receipt: false }],
  ['too few signatures', ({ epoch }) => epoch.receipt.attestations.splice(2), { attested: false }],
  ['no coordinator', (records) => (records.coordinator = null), { attested: false }],
  [
    'another coordinator',
    (records) => (records.coordinator = ed25519PublicKey(validatorSeeds[0]!)),
    { attested: false },
  ],
])('the checks do not trust a hub that shows %s', (_, lie, found) => {
  const records = recordsOf(3)
  lie(records)
  expect(judge(records)).toEqual(found)
})
