import type { Offence } from '../../protocol/slashing/index.ts'
import { type Draws, draws } from '../harness/draws.ts'

/** Nodes that check, decide and attest. */
export const validatorCount = 4
/** Devices that work for a project. */
export const memberCount = 5

/** The answer of a validator that the hub asks to attest a set. */
export type AttesterMode = 'attests' | 'second_time' | 'by_itself' | 'vanishes' | 'lies'

/** Kinds of posted receipts. Only the first two are right, and of these the first to come counts. */
export type ReceiptKind =
  | 'right'
  | 'conflicting'
  | 'wrong_totals'
  | 'wrong_amount'
  | 'wrong_root'
  | 'too_few'
  | 'former_validators'
  | 'other_text'
  | 'running_epoch'

/** Faults of evidence that does not prove its offence. */
export type EvidenceFlaw =
  | 'agreeing_votes'
  | 'too_few'
  | 'former_validators'
  | 'not_audited'
  | 'voter'
  | 'backup'
  | 'other_subscription'
  | 'forged'
  /** The hub has no record of the round, or one that excuses the member. */
  | 'unknown_round'
  | 'excused'

export interface RoundPlan {
  gas: number
  /** Positions of the members that are credited. */
  voters: number[]
}

/** How a payout is claimed, and by whom; `left` is never claimed in its scenario. */
export type ClaimPlan = 'owner' | 'stranger' | 'together' | 'hub' | 'left'

export interface EpochPlan {
  /** How many epochs before the one with a committee set. */
  back: number
  rounds: RoundPlan[]
  /** Further addresses that are paid, so that caps are met. */
  strangers: number
  /** In this order; those of one list at once. */
  receipts: ReceiptKind[][]
  veto: 'none' | 'stands' | 'reopened'
  claims: ClaimPlan[]
}

export interface EvidencePlan {
  kind: Offence
  member: number
  flaw: EvidenceFlaw | null
  /** Whether the same offence is proven again: with the same evidence, or with other evidence at once. */
  again: 'no' | 'same' | 'other'
  /** Whether it comes before the hub has the end of its round, where that is what decides. */
  early: boolean
  dispute: 'no' | 'hub' | 'own_transaction' | 'late'
  decision: 'none' | 'cancel' | 'uphold'
}

/** When the vault gets what its epochs cost: more than that, just that, after they were refused, or too little for now. */
export type Funding = 'ample' | 'exact' | 'late' | 'short'

export interface ScenarioPlan {
  seed: number
  attesters: AttesterMode[]
  epochs: EpochPlan[]
  evidence: EvidencePlan[]
  funding: Funding
  /** Whether owners whose collateral was taken bond again. */
  topUp: boolean
}

/** The scenario of a seed. */
export function planScenario(seed: number): ScenarioPlan {
  const random = draws(seed)
  const backs = random.percent(70) ? [0] : random.percent(50) ? [1, 0] : [2, 1, 0]
  return {
    seed,
    attesters: Array.from({ length: validatorCount }, () => attester(random)),
    epochs: backs.map((back) => planEpoch(random, back)),
    evidence: Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => planEvidence(random)),
    funding: random.pick(['ample', 'exact', 'exact', 'late', 'short']),
    topUp: random.percent(80),
  }
}

const attester = ({ percent, pick }: Draws): AttesterMode =>
  percent(75) ? 'attests' : pick(['second_time', 'by_itself', 'vanishes', 'lies'])

function planEpoch(random: Draws, back: number): EpochPlan {
  const { below, percent, pick, some } = random
  const rounds = Array.from({ length: pick([0, 1, 2, 3, 5, 8]) }, () => ({
    gas: percent(10) ? 100_000_000 : below(20_000_000),
    voters: some([0, 1, 2, 3, 4], 70),
  }))
  return {
    back,
    rounds,
    strangers: percent(8) ? 20 + below(120) : 0,
    receipts: planReceipts(random),
    veto: percent(70) ? 'none' : pick(['stands', 'reopened', 'reopened']),
    claims: Array.from({ length: memberCount }, () =>
      pick<ClaimPlan>(['owner', 'stranger', 'together', 'hub', 'hub', 'hub', 'hub', 'left']),
    ),
  }
}

const wrongReceipts: readonly ReceiptKind[] = [
  'wrong_totals',
  'wrong_amount',
  'wrong_root',
  'too_few',
  'former_validators',
  'other_text',
  'running_epoch',
]

function planReceipts({ percent, pick }: Draws): ReceiptKind[][] {
  const before = percent(40) ? [[pick(wrongReceipts)], [pick(wrongReceipts)]] : []
  const decisive: ReceiptKind[][] = percent(8)
    ? []
    : [pick<ReceiptKind[]>([['right'], ['right', 'right', 'right'], ['right', 'conflicting']])]
  const after: ReceiptKind[][] = percent(30) ? [[pick(['right', 'conflicting'])]] : []
  return [...before, ...decisive, ...(decisive.length > 0 ? after : [])]
}

const flaws: Readonly<Record<Offence, readonly EvidenceFlaw[]>> = {
  equivocation: ['agreeing_votes', 'other_subscription', 'forged'],
  invalid_result: ['too_few', 'former_validators', 'not_audited', 'forged', 'other_subscription'],
  missed_sla: [
    'too_few',
    'former_validators',
    'voter',
    'backup',
    'forged',
    'other_subscription',
    'unknown_round',
    'excused',
  ],
}

function planEvidence({ below, percent, pick }: Draws): EvidencePlan {
  const kind = pick<Offence>(['equivocation', 'invalid_result', 'missed_sla'])
  const flaw = percent(30) ? pick(flaws[kind]) : null
  return {
    kind,
    member: below(memberCount),
    flaw,
    early: kind === 'missed_sla' && flaw === null && percent(40),
    again: pick(['no', 'no', 'same', 'other']),
    dispute: percent(50) ? 'no' : pick(['hub', 'hub', 'own_transaction', 'late']),
    decision: pick(['none', 'cancel', 'uphold', 'uphold']),
  }
}
