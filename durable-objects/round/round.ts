import type { Block } from '../../protocol/committees/index.ts'
import { askedSeconds } from '../../protocol/earnings/index.ts'
import type { ExecutionEvent, ExecutionReceipt } from '../../protocol/execution/index.ts'
import { defaultNetworkParams, type NetworkParams } from '../../protocol/identity/index.ts'
import type { CommitteeRules } from '../../protocol/manifest/index.ts'
import {
  countVotes,
  type FinalityRecord,
  type FinalityVote,
  type KeptCommittee,
  type RoundState as PublicState,
  roundDeadline,
  type Task,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import type { FallbackReason, LeaseState, MissReason, RoundFailure } from './states.ts'

/** The parameters of its epoch that a round is drawn, audited and paid by. */
export type RoundParams = Pick<NetworkParams, 'audit_bp' | 'gas_per_unit' | 'weight_unit_wei'>

export interface RoundRules {
  committee: CommitteeRules
  roundSecs: number
  leaseSecs: number
  acceptSecs: number
  /** When the set of the epoch was due, in network time. */
  snapshotAt: number
  /** Rounds that an earlier version began have none: their parameters are those that every network began with. */
  params?: RoundParams
}

export interface RoundTerms {
  roundId: string
  /** The hub's own id of the task. */
  taskId: string
  task: Task
  /** Base64, up to 4 KiB; a larger input is a file under its hash. */
  input: string | null
  rules: RoundRules
  /** When the task was submitted, where it had to wait for its round. */
  queuedAt?: number
  /** Whether the project cannot pay a committee. */
  underfunded: boolean
  /** How long the receipt of its epoch waits for it: a later audit block has it paid by nobody. */
  paidUntil: number
  /** By the clock of the machine. */
  startedAtMs: number
}

export const paramsOfRound = ({ rules }: Pick<RoundTerms, 'rules'>): RoundParams =>
  rules.params ?? defaultNetworkParams

export interface Lease {
  position: number
  role: 'primary' | 'backup'
  nodeKey: string
  /** `offering` until its node was told; `cancelled` where that never came about, by no fault of the node. */
  state: 'offering' | Extract<LeaseState, 'offered' | 'leased' | 'voted' | 'missed' | 'cancelled'>
  missedBecause: MissReason | null
  /** Whether the node worked with all its slots when it was last told. */
  isFull: boolean
  /** Whether the hub was away, or too busy to look, after the node was told: an answer may not have reached it. */
  isInterrupted: boolean
  createdAt: number
  /** From when its times count: left out by the build before. */
  askedAt?: number
  acceptBy: number
  voteBy: number
  completedAt: number | null
  refused: 'invalid_vote' | 'late' | null
  /** The check that its invalid vote failed. */
  voteProblem?: string | null
  /** Whether the link of a member that gave no answer in time says that it heard everything. */
  isHeard: boolean
  /** Whether its node has to be told that nothing is awaited of it. */
  isObsolete: boolean
}

export interface KeptVote {
  vote: TaskVote
  receivedAt: number
  /** Why the run failed, in the words of the member. */
  error?: string
}

/** The result of a run, without its large parts. */
export interface Result {
  receipt: ExecutionReceipt
  /** Base64; null if it is a file under the hash that the receipt names, as events are. */
  output: string | null
  events: readonly ExecutionEvent[] | null
  /** Whether a member can send it with its vote. */
  fitsVote: boolean
  /** Why the run failed, in the words of the validator that showed the result. */
  error?: string
}

export interface Round {
  terms: RoundTerms
  /** Id of the hub's process that had the round in memory when it was stored. */
  processId: string
  drawn: KeptCommittee | null
  /** In draw order. */
  leases: readonly Lease[]
  /** Valid ones that came before the close: at most two of a member. */
  votes: readonly KeptVote[]
  /** Valid ones that came after it, of members that had voted otherwise. */
  evidence: readonly TaskVote[]
  /** By receipt hash. */
  results: Readonly<Record<string, Result>>
  agreedAt: number | null
  closedAt: number | null
  auditBlock: Block | null
  isAudited: boolean
  /** Network time from which validators can be asked: when the audit block was found. */
  askableAt: number | null
  /** The latest of each validator. */
  finalityVotes: readonly FinalityVote[]
  asking: { attempts: number; nextAt: number }
  outcome: Outcome | null
  /** The state in which lists show it, where it is open for longer. */
  listed: PublicState | null
  /** Whether its record is stored. */
  isRecorded: boolean
  /** Whether lists are to show it, its validators have each other's votes, and the project counts it as over. */
  isReleased: boolean
}

export type Outcome =
  | { state: 'finalized'; record: FinalityRecord; at: number; ms: number }
  /** Without an error it is `no_quorum`. */
  | { state: 'failed'; at: number; error?: RoundFailure }

export const beginRound = (terms: RoundTerms, processId: string): Round => ({
  terms,
  processId,
  drawn: null,
  leases: [],
  votes: [],
  evidence: [],
  results: {},
  agreedAt: null,
  closedAt: null,
  auditBlock: null,
  isAudited: false,
  askableAt: null,
  finalityVotes: [],
  asking: { attempts: 0, nextAt: 0 },
  outcome: null,
  listed: null,
  isRecorded: false,
  isReleased: false,
})

export const fallbackOf = ({ terms, drawn }: Round): FallbackReason | null => {
  if (terms.underfunded) return 'underfunded'
  return drawn?.committee.fallback ? 'too_few_members' : null
}

export const deadlineOf = ({ terms: { task, rules } }: Round): number => roundDeadline(task, rules.roundSecs)

/** How long after its deadline a round waits for its committee. */
const drawSecs = 300

export const drawnBy = (round: Round): number => deadlineOf(round) + drawSecs

/** A round that is open for longer is shown in lists, in seconds (`PROJECT_OPEN_AFTER`). */
const listedAfterSecs = 15

/** From when on lists show an open round. */
export const listedFrom = ({ terms }: Round): number => terms.task.issued_at + listedAfterSecs

/** A time of a round, by a clock that may lie behind others: nothing comes before the task, nor before what it follows from. */
export const datedAt = ({ terms }: Round, now: number, after: number | null = null): number =>
  Math.max(now, after ?? 0, terms.task.issued_at)

export const isOpen = ({ state }: Lease): boolean =>
  state === 'offering' || state === 'offered' || state === 'leased'

/** Whether a lease ended without an answer in time, and nobody asked the link of its member yet whether it was there all the time. */
export const isToConfirm = ({ missedBecause, isHeard, role }: Lease): boolean =>
  !isHeard && (missedBecause === 'late' || (missedBecause === 'not_accepted' && role === 'primary'))

/** How long a member that is to be told its offer is waited for before the next is asked: as long as for its answer. */
export const waitsUntil = ({ terms }: Round, { createdAt }: Lease): number =>
  createdAt + terms.rules.acceptSecs

export const votesOf = ({ votes }: Round): TaskVote[] => votes.map(({ vote }) => vote)

/** Almost everything that is asked of a round asks for it, and it changes with a vote alone. */
export function tallyOf(round: Pick<Round, 'drawn' | 'votes'>): ReturnType<typeof countVotes> {
  const q = round.drawn?.committee.q ?? 1
  const known = tallies.get(round.votes)
  if (known?.q === q) return known.tally
  const tally = countVotes(
    { q },
    round.votes.map(({ vote }) => vote),
  )
  tallies.set(round.votes, { q, tally })
  return tally
}

const tallies = new WeakMap<Round['votes'], { q: number; tally: ReturnType<typeof countVotes> }>()

/**
 * Why the run of a result failed, as most of its members say, or the validator that ran it. No hash covers it: it is a claim. Null if nobody
 * says.
 */
export function claimedError({ votes, results }: Round, receiptHash: string): string | null {
  const counts = new Map<string, number>()
  for (const { vote, error } of votes)
    if (vote.receipt_hash === receiptHash && error !== undefined)
      counts.set(error, (counts.get(error) ?? 0) + 1)
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  return most?.[0] ?? results[receiptHash]?.error ?? null
}

/** `agreed_at` of section 19: when the tally became clean; of a contested or fallback round, when it was closed. */
export function agreedAtOf(round: Round): number | null {
  if (round.closedAt === null) return null
  return tallyOf(round).clean ? round.agreedAt : round.closedAt
}

export interface RoundWaiting {
  code: 'audit_block' | 'validators'
  since: number
  /** When it fails at the latest; null if only the chain knows. */
  until: number | null
}

/** Null while the committee works, and when the round is over. */
export function waitingFor({ closedAt, auditBlock, askableAt, outcome }: Round): RoundWaiting | null {
  if (closedAt === null || outcome !== null) return null
  if (auditBlock === null) return { code: 'audit_block', since: closedAt, until: null }
  const since = askableAt ?? closedAt
  return { code: 'validators', since, until: since + askedSeconds }
}

export function publicState(round: Round): PublicState {
  if (round.outcome !== null) return round.outcome.state
  if (fallbackOf(round) !== null) return 'fallback'
  const { clean } = tallyOf(round)
  if (round.closedAt !== null) return clean && !round.isAudited ? 'committee_agreed' : 'escalated'
  if (clean) return 'committee_agreed'
  return round.agreedAt === null ? 'pending' : 'escalated'
}

export type Awaited = 'agreed' | 'final'

/** Whether everybody can read that a round reached the awaited state, or went on from there. */
export function isReached(round: Round, awaited: Awaited): boolean {
  if (round.isRecorded) return true
  return awaited === 'agreed' && round.agreedAt !== null
}

export function resultHashOf(round: Round): string | null {
  if (round.outcome !== null)
    return round.outcome.state === 'finalized' ? round.outcome.record.receipt_hash : null
  return publicState(round) === 'committee_agreed' ? tallyOf(round).hash : null
}
