import fc from 'fast-check'
import {
  beaconTargetTime,
  beaconValue,
  buildSnapshot,
  drawCommittee,
  hashSnapshot,
  isSnapshotAttested,
  parseSnapshot,
  selectBeaconBlock,
  snapshotText,
} from '../../committees/index.ts'
import { hashText } from '../../encoding/index.ts'
import {
  auditDraw,
  createFinalityRecord,
  finalRecord,
  hashFinality,
  isAudited,
  selectAuditBlock,
  tallyVotes,
} from '../../rounds/index.ts'
import { eachOf } from '../arbitraries.ts'
import { HC, type Json, quorum } from '../plain/notation.ts'
import { auditOf, beaconOf, finalHashes, recordOf, tallyOf } from '../plain/rounds.ts'
import { countSigners } from '../plain/signatures.ts'
import { setHashOf, snapshotOf } from '../plain/snapshot.ts'
import { committeeOf, committeeOver } from '../plain/sortition.ts'
import { maybeBroken } from './broken.ts'
import { candidateLists } from './candidates.ts'
import { type Comparison, comparison } from './comparison.ts'
import { attestations, consensus, nodes, params, profiles, validators } from './network.ts'
import { type Round, rounds } from './rounds.ts'
import { ballots, finalityLists, records, results } from './votes.ts'

const someProfile = fc.constantFrom(...profiles)
const someRound = fc.constantFrom(...rounds)
const hashes = fc.nat().map((n) => hashText(`hash ${n}`))

const chains = fc
  .array(fc.nat(3), { maxLength: 12 })
  .map((gaps) =>
    gaps.map((_, number) => ({
      number,
      hash: hashText(`block ${number}`),
      timestamp: 3_600 + gaps.slice(0, number + 1).reduce((a, b) => a + b, 0),
    })),
  )
  .chain((blocks) => fc.shuffledSubarray(blocks, { minLength: blocks.length }))

const beacons = comparison({
  name: 'beacon',
  casesOfSuite: 300,
  kinds: ['a block', 'none'],
  kindOf: (value) => (value === null ? 'none' : 'a block'),
  cases: fc.record({ profile: someProfile, blocks: chains, offset: fc.integer({ min: -30, max: 5 }) }),
  product: ({ profile, blocks, offset }) => {
    const target = beaconTargetTime(1, 3_600, { beacon_offset_secs: offset })
    const block = selectBeaconBlock(blocks, target)
    return block && beaconValue(profile, block.hash)
  },
  plain: ({ profile, blocks, offset }) => beaconOf(profile, blocks, 1, 3_600, offset),
})

const builtSnapshots = comparison({
  name: 'snapshot, built from candidates',
  casesOfSuite: 300,
  kinds: ['with entries', 'empty'],
  kindOf: ({ entries }) => (entries.length === 0 ? 'empty' : 'with entries'),
  cases: fc.record({
    profile: someProfile,
    source: fc.record({
      project_id: hashes,
      epoch: fc.nat(),
      consensus: fc.constant(consensus),
      params: fc.constant(params),
      beacon: fc.record({ block_number: fc.nat(), block_hash: hashes, value: hashes }),
      candidates: candidateLists,
    }),
  }),
  product: ({ profile, source }) => buildSnapshot(profile, source),
  plain: ({ profile, source }) => snapshotOf(profile, source),
})

const withExcluded = rounds.map(({ snapshot }) => ({
  ...snapshot,
  excluded: nodes.slice(snapshot.entries.length).map(({ key }, i) => ({
    node_key: key,
    subscription_id: hashText(`excluded ${i}`),
    reason: ['paused', 'binding_mismatch', 'unbound', 'faulty'][i % 4],
  })),
}))

const judgedSnapshots = comparison({
  name: 'snapshot, posted',
  casesOfSuite: 300,
  kinds: ['valid', 'invalid_snapshot'],
  kindOf: () => 'valid',
  cases: fc.constantFrom(...withExcluded).chain(maybeBroken),
  product: (snapshot) => hashSnapshot(parseSnapshot(snapshot, params)),
  plain: (snapshot) => setHashOf(snapshot, params),
})

const attestedSnapshots = comparison({
  name: 'snapshot, attested',
  casesOfSuite: 100,
  kinds: ['attested', 'not attested'],
  kindOf: (isAttested) => (isAttested ? 'attested' : 'not attested'),
  cases: fc.constantFrom(...rounds).chain(({ profile, task }) =>
    fc.record({
      profile: fc.constant(profile),
      setHash: fc.constant(task.set_hash),
      attestations: attestations(profile, snapshotText(profile, task.set_hash)),
      among: fc.integer({ min: 0, max: 4 }),
    }),
  ),
  product: ({ profile, setHash, attestations: given, among }) =>
    isSnapshotAttested(profile, setHash, given, current(among)),
  plain: ({ profile, setHash, attestations: given, among }) =>
    countSigners(profile, `${profile.prefix}-set-v1:${setHash}`, given, current(among)) >= quorum(among),
})

export const current = (count: number): string[] => validators.slice(0, count).map(({ key }) => key)

const draws = comparison({
  name: 'sortition',
  casesOfSuite: 300,
  kinds: ['drawn', 'fallback'],
  kindOf: ({ fallback }) => (fallback ? 'fallback' : 'drawn'),
  cases: fc.record({
    profile: someProfile,
    input: fc.record({
      beacon: hashes,
      project_id: hashes,
      epoch: fc.maxSafeNat(),
      seq: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      set_hash: hashes,
      weight_cap: fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }).map(String),
      weight_unit_wei: fc.constantFrom('1', '1000000', '1000000000000000'),
      committee: fc.record({ size: fc.nat(9), min_size: fc.nat(5), backups: fc.nat(5) }),
      entries: eachOf(fc.subarray(nodes.map(({ key }) => key)), (node_key) =>
        fc.record({
          node_key: fc.constant(node_key),
          collateral: fc
            .oneof(
              fc.bigInt({ min: 10n ** 15n, max: 3n * 10n ** 15n }),
              fc.bigInt({ min: 10n ** 15n, max: 10n ** 18n }),
              fc.bigInt({ min: 10n ** 15n, max: 2n ** 256n - 1n }),
            )
            .map(String),
          // If weights are small, a word is often at the boundary between two nodes.
          reputation: fc.oneof(fc.constantFrom(1, 2), fc.integer({ min: 1_000, max: 10_000 })),
        }),
      ),
    }),
  }),
  product: ({ profile, input }) => drawCommittee(profile, input),
  plain: ({ profile, input }) => committeeOf(profile, input),
})

const plainTally = ({ profile, snapshot, rules, task }: Round, votes: Json[]): Json =>
  tallyOf(profile, {
    snapshot,
    committee: committeeOver(profile, snapshot, task, rules, params),
    task,
    votes,
  })

const tallies = comparison({
  name: 'tally',
  casesOfSuite: 60,
  kinds: ['clean', 'contested', 'with equivocators'],
  kindOf: ({ clean, equivocators }) =>
    clean ? 'clean' : equivocators.length > 0 ? 'with equivocators' : 'contested',
  cases: someRound.chain((round) => fc.record({ round: fc.constant(round), votes: ballots(round) })),
  product: ({ round, votes }) => tallyVotes(round.profile, round.seated, round.task, votes),
  plain: ({ round, votes }) => plainTally(round, votes),
})

const finalityHashes = comparison({
  name: 'finality, what a validator signs',
  casesOfSuite: 60,
  kinds: ['audited', 'not audited', 'invalid_vote'],
  kindOf: ({ record }) => (record.audited ? 'audited' : 'not audited'),
  cases: someRound.chain((round) =>
    fc.record({
      round: fc.constant(round),
      votes: ballots(round),
      own: fc.option(
        fc.record({
          receipt_hash: fc.constantFrom(...results).map((result) => hashText(`result ${result}`)),
          gas_used: fc.maxSafeNat(),
        }),
        { freq: 2 },
      ),
    }),
  ),
  product: ({ round, votes, own }) => {
    const tally = tallyVotes(round.profile, round.seated, round.task, votes)
    const record = createFinalityRecord(round.task, tally, ownOf(own, tally.votes))
    return { record, hash: hashFinality(record) }
  },
  plain: ({ round, votes, own }) => {
    const tally = plainTally(round, votes)
    const record = recordOf(round.task, tally, ownOf(own, tally.votes))
    return { record, hash: HC(record) }
  },
})

/** Every second own run comes to the result of some member. */
const ownOf = (own: Json, votes: readonly Json[]): Json =>
  own !== null && own.gas_used % 2 === 0 && votes.length > 0
    ? { ...own, receipt_hash: votes[0].receipt_hash }
    : own

const finalRecords = comparison({
  name: 'finality, what a quorum signed',
  casesOfSuite: 40,
  kinds: ['final', 'not final'],
  kindOf: (hash) => (hash === null ? 'not final' : 'final'),
  cases: someRound.chain((round) =>
    fc
      .record({ most: fc.integer({ min: 1, max: 4 }), record: records(round, 0), another: records(round, 1) })
      .chain(({ most, record, another }) =>
        fc.record({
          profile: fc.constant(round.profile),
          votes: finalityLists(round, record, another, most),
          among: fc.constant(most),
        }),
      ),
  ),
  product: ({ profile, votes, among }) => {
    const record = finalRecord(profile, listOf(votes), current(among))
    return record && hashFinality(record)
  },
  // No list of these cases has a quorum for two records.
  plain: ({ profile, votes, among }) => finalHashes(profile, listOf(votes), current(among))[0] ?? null,
})

const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [])

const audits = comparison({
  name: 'audit',
  casesOfSuite: 300,
  kinds: ['audited', 'not audited', 'no block yet'],
  kindOf: (audit) => (audit === null ? 'no block yet' : audit.audited[0] ? 'audited' : 'not audited'),
  cases: fc.record({
    profile: someProfile,
    blocks: chains,
    given: fc.record({
      round_id: hashes.map((hash) => `task:${hash}`),
      agreed_at: fc.integer({ min: 3_595, max: 3_630 }),
      audit_bp: fc.nat(10_000),
      contested: fc.boolean(),
    }),
  }),
  product: ({ profile, blocks, given }) => {
    const block = selectAuditBlock(blocks, given.agreed_at)
    if (block === null) return null
    const draw = auditDraw(profile, given.round_id, block.hash)
    const rates = ratesAround(draw, given.audit_bp)
    return { draw, audited: rates.map((rate) => isAudited(draw, rate, given.contested)) }
  },
  plain: ({ profile, blocks, given }) => {
    const audit = auditOf(profile, blocks, given)
    if (audit === null) return null
    const rates = ratesAround(audit.draw, given.audit_bp)
    return {
      draw: audit.draw,
      audited: rates.map((rate) => auditOf(profile, blocks, { ...given, audit_bp: rate }).audited),
    }
  },
})

/** Any rate, and those at which a draw begins to be audited. */
const ratesAround = (draw: number, rate: number): number[] => [rate, draw, draw + 1]

/** Sections 12 to 14 and 18 to 20. */
export const consensusComparisons: readonly Comparison[] = [
  beacons,
  builtSnapshots,
  judgedSnapshots,
  attestedSnapshots,
  draws,
  tallies,
  finalityHashes,
  finalRecords,
  audits,
]
