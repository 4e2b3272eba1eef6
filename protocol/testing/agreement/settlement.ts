import fc from 'fast-check'
import {
  buildEpochReceipt,
  buildPayoutTree,
  capUnits,
  computeRewards,
  countEpochAttestations,
  epochReceiptText,
  hashEpochReceipt,
  leaderOfAttempt,
  parseEpochReceipt,
  recomputeEpochReceipt,
  sumUnits,
  verifyPayoutProof,
} from '../../earnings/index.ts'
import { hashText } from '../../encoding/index.ts'
import { checkEvidence, parseEvidence, slashAmount } from '../../slashing/index.ts'
import { eachOf } from '../arbitraries.ts'
import { bodyOf, judgeReceipt, leaderOf } from '../plain/epoch-receipt.ts'
import { judgeEvidence, slashOf } from '../plain/evidence.ts'
import { HC, type Json } from '../plain/notation.ts'
import { leadsTo, rewardsOf, treeOf, unitsOf } from '../plain/rewards.ts'
import { committeeOver } from '../plain/sortition.ts'
import { maybeBroken } from './broken.ts'
import { type Comparison, comparison } from './comparison.ts'
import { current } from './consensus.ts'
import { addressOf, attestations, consensus, mostly, nodes, params, profiles } from './network.ts'
import { rounds } from './rounds.ts'
import { finalityLists, members, records, results, taskVotes } from './votes.ts'

const hashes = fc.nat().map((n) => hashText(`hash ${n}`))
const gasPerUnit = 1_000_000

const economics = fc.record({
  reward_model: fc.constantFrom('per-unit' as const, 'epoch-pool' as const),
  reward_per_unit: fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String),
  daily_emission: fc
    .oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: 10n ** 30n }))
    .map(String),
  fee_split_bp: fc
    .integer({ min: 0, max: 10_000 })
    .chain((miner) =>
      fc.nat(10_000 - miner).map((developer) => ({ miner, developer, treasury: 10_000 - miner - developer })),
    ),
  max_units_per_epoch: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 })),
  max_recipients_per_epoch: fc.nat(6),
})
const epochLength = fc.constantFrom(3_600, 10_800, 86_400)

const creditedRecords = fc.array(
  fc.record({
    gas_used: fc.oneof(
      fc.nat(50 * gasPerUnit),
      fc.constantFrom(0, 1, gasPerUnit - 1, gasPerUnit, gasPerUnit + 1),
      fc.maxSafeNat(),
    ),
    voters: fc.array(
      fc.nat(8).map((n) => ({ payout_address: addressOf(n) })),
      { maxLength: 6 },
    ),
  }),
  { maxLength: 8 },
)

const rewards = comparison({
  name: 'rewards',
  casesOfSuite: 300,
  kinds: ['paid', 'nobody'],
  kindOf: ({ units }) => (units.length === 0 ? 'nobody' : 'paid'),
  cases: fc.record({
    records: creditedRecords,
    perUnit: fc.constantFrom(1, gasPerUnit),
    terms: economics,
    epochSecs: epochLength,
  }),
  product: ({ records: given, perUnit, terms, epochSecs }) => {
    const { max_recipients_per_epoch, max_units_per_epoch } = terms
    const units = capUnits(sumUnits(given, perUnit), max_recipients_per_epoch, max_units_per_epoch)
    return { units, rewards: computeRewards(terms, epochSecs, units) }
  },
  plain: ({ records: given, perUnit, terms, epochSecs }) => {
    const units = unitsOf(given, perUnit, terms.max_recipients_per_epoch, terms.max_units_per_epoch)
    return { units, rewards: rewardsOf(terms, epochSecs, units) }
  },
})

const payouts = eachOf(fc.uniqueArray(fc.nat(99), { maxLength: 33 }), (id) =>
  fc.record({
    miner: fc.constant(addressOf(id)),
    amount: fc
      .oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))
      .map(String),
  }),
)

const trees = comparison({
  name: 'payout tree',
  casesOfSuite: 150,
  kinds: ['a tree', 'none'],
  kindOf: (tree) => (tree === null ? 'none' : 'a tree'),
  cases: fc.record({ projectId: hashes, epoch: fc.maxSafeNat(), list: payouts }),
  product: ({ projectId, epoch, list }) => {
    const tree = buildPayoutTree(projectId, epoch, list)
    return tree && { ...tree, opened: openedBy(tree, verifyPayoutProof) }
  },
  plain: ({ projectId, epoch, list }) => {
    const tree = treeOf(projectId, epoch, list)
    return tree && { ...tree, opened: openedBy(tree, leadsTo) }
  },
})

/** Which leaves the proof of the next leaf opens, and which their own. */
const openedBy = (
  { root, leaves }: Json,
  verify: (root: string, leaf: string, proof: string[]) => boolean,
): Json =>
  leaves.map(({ leaf, proof }: Json, i: number) => [
    verify(root, leaf, proof),
    verify(root, leaf, leaves[(i + 1) % leaves.length].proof),
  ])

const units = eachOf(fc.uniqueArray(fc.nat(20), { maxLength: 8 }), (id) =>
  fc.record({ miner: fc.constant(addressOf(id)), units: fc.integer({ min: 1, max: 100 }) }),
).map((list) => [...list].sort((a, b) => (a.miner < b.miner ? -1 : 1)))

const settlements = fc.record({
  profile: fc.constantFrom(...profiles),
  project_id: hashes,
  epoch: fc.nat(),
  units,
  consensus: fc.record({ terms: economics, epoch_secs: epochLength }).map(({ terms, epoch_secs }) => ({
    ...consensus,
    work: { ...consensus.work, epoch_secs },
    economics: { ...consensus.economics, ...terms },
  })),
})

const builtReceipts = comparison({
  name: 'epoch receipt, built',
  casesOfSuite: 200,
  kinds: ['a receipt', 'none'],
  kindOf: ({ body }) => (body === null ? 'none' : 'a receipt'),
  cases: settlements.chain((settlement) =>
    fc.record({
      settlement: fc.constant(settlement),
      attempt: fc.nat(20),
      among: fc.integer({ min: 1, max: 7 }),
    }),
  ),
  product: ({ settlement, attempt, among }) => {
    const built = buildEpochReceipt(settlement.profile, settlement)
    const { project_id, epoch } = settlement
    return {
      body: built === null ? null : built.body,
      hash: built === null ? null : hashEpochReceipt(built.body),
      leader: leaderOfAttempt(current(among), project_id, epoch, attempt),
    }
  },
  plain: ({ settlement, attempt, among }) => {
    const body = bodyOf(settlement.profile, settlement)
    const { project_id, epoch } = settlement
    return {
      body,
      hash: body && HC(body),
      leader: leaderOf(current(among), project_id, epoch, attempt),
    }
  },
})

const postedReceipts = comparison({
  name: 'epoch receipt, posted',
  casesOfSuite: 60,
  kinds: ['recomputes', 'differs', 'invalid_field'],
  kindOf: ({ recomputes }) => (recomputes ? 'recomputes' : 'differs'),
  cases: settlements
    .filter((settlement) => bodyOf(settlement.profile, settlement) !== null)
    .chain((settlement) => {
      const body = bodyOf(settlement.profile, settlement)
      const hash = HC(body)
      return fc.record({
        profile: fc.constant(settlement.profile),
        consensus: fc.constant(settlement.consensus),
        posted: attestations(settlement.profile, epochReceiptText(settlement.profile, hash)).chain((list) =>
          fc.oneof(
            fc.constant({ ...body, receipt_hash: hash, attestations: list }),
            maybeBroken({ ...body, receipt_hash: hash, attestations: list }),
          ),
        ),
      })
    }),
  product: ({ profile, consensus: terms, posted }) => {
    const receipt = parseEpochReceipt(posted)
    return {
      counted: countEpochAttestations(profile, receipt, current(4)),
      recomputes: 'built' in recomputeEpochReceipt(profile, receipt, terms),
    }
  },
  plain: ({ profile, consensus: terms, posted }) => judgeReceipt(profile, posted, terms, current(4)),
})

const proofsOf: Readonly<Record<string, (parts: Json) => Json>> = {
  equivocation: ({ first, second }) => ({ first, second }),
  invalid_result: ({ first, finality }) => ({ vote: first, finality }),
  missed_sla: ({ task, finality }) => ({ task, finality }),
}

const judgedEvidence = fc.constantFrom(...rounds).chain((round) =>
  members(round).chain((node) =>
    fc
      .record({
        kind: fc.constantFrom(...Object.keys(proofsOf)),
        first: fc.constantFrom(...results).chain((result) => taskVotes(round, node, result)),
        second: fc.constantFrom(...results).chain((result) => taskVotes(round, node, result)),
        record: records(round, node),
        another: records(round, (node + 1) % nodes.length),
        most: fc.integer({ min: 1, max: 4 }),
        seq: mostly(round.task.seq, [round.task.seq + 1]),
        flaw: mostly<Json>({}, [
          { project_id: hashText('another project') },
          { epoch: round.task.epoch + 1 },
          { round_id: `task:${hashText('another round')}` },
          { consensus_hash: hashText('another consensus') },
          { subscription_id: hashText('another subscription') },
          { node_key: nodes[(node + 1) % nodes.length]!.key },
        ]),
        knowsSubscription: mostly(true, [false]),
      })
      .chain((parts) =>
        finalityLists(round, parts.record, parts.another, parts.most).chain((finality) => {
          const evidence = {
            v: 1,
            kind: parts.kind,
            project_id: round.task.project_id,
            epoch: round.task.epoch,
            round_id: `task:${HC(round.task)}`,
            subscription_id: hashText(`subscription ${node}`),
            node_key: nodes[node]!.key,
            consensus_hash: round.task.consensus_hash,
            ...parts.flaw,
            proof: proofsOf[parts.kind]!({ ...parts, finality, task: { ...round.task, seq: parts.seq } }),
          }
          return fc.record({
            round: fc.constant(round),
            evidence: fc.oneof(
              { weight: 4, arbitrary: fc.constant(evidence) },
              { weight: 1, arbitrary: maybeBroken(evidence) },
            ),
            among: fc.constant(parts.most),
            subscription: fc.constant(parts.knowsSubscription ? hashText(`subscription ${node}`) : null),
            bonded: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(String),
            bp: fc.nat(10_000),
          })
        }),
      ),
  ),
)

const evidence = comparison({
  name: 'evidence',
  casesOfSuite: 80,
  kinds: ['equivocation', 'invalid_result', 'missed_sla', 'invalid_evidence', 'invalid_field'],
  kindOf: ({ kind }) => kind,
  cases: judgedEvidence,
  product: ({ round, evidence: posted, among, subscription, bonded, bp }) => {
    const parsed = parseEvidence(posted)
    const hash = checkEvidence(round.profile, parsed, {
      validators: current(among),
      subscription_id: subscription,
      seat: (task) => (task.set_hash === round.task.set_hash ? round.seated : null),
    })
    return { kind: parsed.kind, hash, amount: slashAmount(bonded, bp) }
  },
  plain: ({ round, evidence: posted, among, subscription, bonded, bp }) => {
    const hash = judgeEvidence(round.profile, posted, {
      validators: current(among),
      subscription_id: subscription,
      committeeOf: (task) =>
        task.set_hash === HC(round.snapshot)
          ? committeeOver(round.profile, round.snapshot, task, round.rules, params)
          : null,
    })
    return { kind: posted.kind, hash, amount: slashOf(bonded, bp) }
  },
})

/** Sections 21 to 24. */
export const settlementComparisons: readonly Comparison[] = [
  rewards,
  trees,
  builtReceipts,
  postedReceipts,
  evidence,
]
