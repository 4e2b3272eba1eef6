import type { Offence } from '../../protocol/slashing/index.ts'
import { type Draws, draws } from '../harness/draws.ts'

export const validatorCount = 4
export const memberCount = 5

/** The answer of a validator that the hub asks to attest a set. */
export type AttesterMode = 'attests' | 'second_time' | 'by_itself' | 'vanishes' | 'lies'

/** Kinds of posted receipts. Only the first two are right, and of these the first to come counts. */
export type ReceiptKind = 'right' | 'conflicting' | (typeof wrongReceipts)[number]

export type ScenarioPlan = ReturnType<typeof planScenario>
export type EpochPlan = ReturnType<typeof planEpoch>
export type EvidencePlan = ReturnType<typeof planEvidence>
/** How a payout is claimed, and by whom; `left` is never claimed in its scenario. */
export type ClaimPlan = EpochPlan['claims'][number]

export function planScenario(seed: number) {
  const random = draws(seed)
  const backs = random.percent(70) ? [0] : random.percent(50) ? [1, 0] : [2, 1, 0]
  return {
    seed,
    attesters: Array.from({ length: validatorCount }, () => attester(random)),
    epochs: backs.map((back) => planEpoch(random, back)),
    evidence: Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => planEvidence(random)),
    /** When the vault gets what its epochs cost: more than that, just that, after they were refused, or too little for now. */
    funding: random.pick(['ample', 'exact', 'exact', 'late', 'short'] as const),
    /** Whether owners whose collateral was taken bond again. */
    topUp: random.percent(80),
  }
}

const attester = ({ percent, pick }: Draws): AttesterMode =>
  percent(75) ? 'attests' : pick(['second_time', 'by_itself', 'vanishes', 'lies'])

function planEpoch(random: Draws, back: number) {
  const { below, percent, pick, some } = random
  const rounds = Array.from({ length: pick([0, 1, 2, 3, 5, 8]) }, () => ({
    gas: percent(10) ? 100_000_000 : below(20_000_000),
    /** Positions of the members that are credited. */
    voters: some([0, 1, 2, 3, 4], 70),
  }))
  return {
    /** How many epochs before the one with a committee set. */
    back,
    rounds,
    /** Further addresses that are paid, so that caps are met. */
    strangers: percent(8) ? 20 + below(120) : 0,
    /** In this order; those of one list at once. */
    receipts: planReceipts(random),
    veto: percent(70) ? ('none' as const) : pick(['stands', 'reopened', 'reopened'] as const),
    claims: Array.from({ length: memberCount }, () =>
      pick(['owner', 'stranger', 'together', 'hub', 'hub', 'hub', 'hub', 'left'] as const),
    ),
  }
}

const wrongReceipts = [
  'wrong_totals',
  'wrong_amount',
  'wrong_root',
  'too_few',
  'former_validators',
  'other_text',
  'running_epoch',
] as const

function planReceipts({ percent, pick }: Draws): ReceiptKind[][] {
  const before: ReceiptKind[][] = percent(40) ? [[pick(wrongReceipts)], [pick(wrongReceipts)]] : []
  const decisive: ReceiptKind[][] = percent(8)
    ? []
    : [pick<ReceiptKind[]>([['right'], ['right', 'right', 'right'], ['right', 'conflicting']])]
  const after: ReceiptKind[][] = percent(30) ? [[pick(['right', 'conflicting'])]] : []
  return [...before, ...decisive, ...(decisive.length > 0 ? after : [])]
}

/** Faults of evidence that does not prove its offence. */
const flaws = {
  equivocation: ['agreeing_votes', 'other_subscription', 'forged'],
  invalid_result: ['too_few', 'former_validators', 'not_audited', 'forged', 'other_subscription'],
  missed_sla: [
    'too_few',
    'former_validators',
    'voter',
    'backup',
    'forged',
    'other_subscription',
    // The hub has no record of the round, or one that excuses the member.
    'unknown_round',
    'excused',
  ],
} as const satisfies Record<Offence, readonly string[]>

function planEvidence({ below, percent, pick }: Draws) {
  const kind = pick<Offence>(['equivocation', 'invalid_result', 'missed_sla'])
  const flaw = percent(30) ? pick<(typeof flaws)[Offence][number]>(flaws[kind]) : null
  return {
    kind,
    member: below(memberCount),
    flaw,
    /** Whether it comes before the hub has the end of its round, where that is what decides. */
    early: kind === 'missed_sla' && flaw === null && percent(40),
    /** Whether the same offence is proven again: with the same evidence, or with other evidence at once. */
    again: pick(['no', 'no', 'same', 'other'] as const),
    dispute: percent(50) ? ('no' as const) : pick(['hub', 'hub', 'own_transaction', 'late'] as const),
    decision: pick(['none', 'cancel', 'uphold', 'uphold'] as const),
  }
}
