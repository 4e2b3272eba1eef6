import {
  askedSeats,
  type Block,
  type FinalityVote,
  type KeptCommittee,
  type Seat,
  signedRecord,
  type TaskVote,
} from '../../protocol/consensus/index.ts'
import type { OfferResult } from '../node-link/types.ts'
import {
  agreedAtOf,
  deadlineOf,
  fallbackOf,
  isOpen,
  type Lease,
  type Result,
  type Round,
  tallyOf,
  votesOf,
  waitsUntil,
} from './round.ts'
import type { MissReason } from './states.ts'

/**
 * What becomes of a round by what happens. All times are network time in Unix seconds. Each function gives the round back
 * as it is where the event changes nothing, so that everything may happen twice.
 */

/** Most votes that validators are sent. */
const votesMax = 64
/** How long validators are asked before the round has failed. */
const failSecs = 300
const firstPauseSecs = 5

/** Another process of the hub has the round: none was there for a while. */
export const resumed = (round: Round, processId: string): Round =>
  round.processId === processId ? round : { ...interrupted(round), processId }

/**
 * The hub was away, or too busy to look: what nodes said meanwhile may be lost, or is still to be heard. That a node was told
 * of its offer may not have been stored.
 */
export const interrupted = (round: Round): Round =>
  mapLeases(round, (lease) =>
    isOpen(lease) && !lease.isInterrupted ? { ...lease, isInterrupted: true } : lease,
  )

/** The committee was drawn: its primaries are asked, or the round is closed at once. */
export function seated(round: Round, drawn: KeptCommittee, now: number): Round {
  if (round.drawn !== null) return round
  return passTime({ ...round, drawn }, now)
}

/** What follows from the time alone: leases end, backups are asked, the round closes. */
export function passTime(round: Round, now: number): Round {
  if (round.drawn === null || round.closedAt !== null) return round
  if (fallbackOf(round) !== null) return close(round, now)
  const expired = mapLeases(round, (lease) => expire(round, lease, now))
  const asked = askNext(expired, now)
  return asked.leases.some(isOpen) && now <= deadlineOf(round) ? asked : close(asked, now)
}

function expire(round: Round, lease: Lease, now: number): Lease {
  if (!isOpen(lease)) return lease
  if (lease.state === 'offering') return now > waitsUntil(round, lease) ? untold(lease, now) : lease
  if (now > lease.voteBy) return overdue(lease, 'late', now)
  return lease.state !== 'leased' && now > lease.acceptBy ? overdue(lease, 'not_accepted', now) : lease
}

/** The end of a lease whose node was not told of it, as far as the hub knows, and so owes nothing. */
const untold = (lease: Lease, now: number): Lease => endLease(lease, 'cancelled', untoldBecause(lease), now)

function untoldBecause({ isInterrupted, isFull }: Lease): MissReason {
  if (isInterrupted) return 'hub_away'
  return isFull ? 'full' : 'not_told'
}

/** The end of a lease whose time is over. Who could not reach the hub in that time owes nothing. */
const overdue = (lease: Lease, missedBecause: MissReason, now: number): Lease =>
  lease.isInterrupted ? endLease(lease, 'cancelled', 'hub_away', now) : missed(lease, missedBecause, now)

const missed = (lease: Lease, missedBecause: MissReason, now: number): Lease =>
  endLease(lease, 'missed', missedBecause, now)

const endLease = (
  lease: Lease,
  state: 'cancelled' | 'missed',
  missedBecause: MissReason,
  now: number,
): Lease => ({ ...lease, state, missedBecause, completedAt: now })

/** Leases of those who are to be asked and were not. */
function askNext(round: Round, now: number): Round {
  const { drawn, leases } = round
  if (drawn === null || now >= deadlineOf(round)) return round
  const failed = new Set(
    leases.filter(({ state }) => state === 'missed' || state === 'cancelled').map(({ nodeKey }) => nodeKey),
  )
  const next = askedSeats(drawn, failed).slice(leases.length)
  return next.length === 0
    ? round
    : { ...round, leases: [...leases, ...next.map((seat) => ask(round, seat, now))] }
}

function ask(round: Round, { position, role, node_key: nodeKey }: Seat, now: number): Lease {
  return {
    position,
    role,
    nodeKey,
    state: 'offering',
    missedBecause: null,
    isFull: false,
    isInterrupted: false,
    createdAt: now,
    ...timesFrom(round, now),
    completedAt: null,
    refused: null,
    isObsolete: false,
  }
}

/** By when a member that is asked at a time accepts, and votes. */
function timesFrom(round: Round, now: number): Pick<Lease, 'acceptBy' | 'voteBy'> {
  const { acceptSecs, leaseSecs } = round.terms.rules
  const voteBy = Math.min(now + leaseSecs, deadlineOf(round))
  return { acceptBy: Math.min(now + acceptSecs, voteBy), voteBy }
}

/** The deadline holds, however late somebody notices that it has passed. */
function close(round: Round, now: number): Round {
  const ended = mapLeases(round, (lease) => {
    if (lease.state === 'offering') return untold(lease, now)
    if (isOpen(lease)) return overdue(lease, 'late', now)
    const mayStillRun = lease.missedBecause === 'not_accepted' || lease.missedBecause === 'hub_away'
    return mayStillRun && now <= lease.voteBy ? { ...lease, isObsolete: true } : lease
  })
  return { ...ended, closedAt: Math.min(now, deadlineOf(round)) }
}

/** Before a node is told of its offer: its times count from now on, however late that is. */
export const offering = (round: Round, position: number, now: number): Round =>
  mapLease(round, position, (lease) =>
    lease.state === 'offering' ? { ...lease, ...timesFrom(round, now) } : lease,
  )

/**
 * What came of telling a node of its offer. One that works with all its slots, or has just lost its socket, is told again
 * while it may be waited for.
 */
export const offered = (round: Round, position: number, outcome: OfferResult, now: number): Round =>
  mapLease(round, position, (lease) =>
    lease.state === 'offering' ? withOutcome(lease, outcome, now) : lease,
  )

function withOutcome(lease: Lease, outcome: OfferResult, now: number): Lease {
  switch (outcome) {
    case 'offered':
      return { ...lease, state: 'offered' }
    case 'full':
      return { ...lease, isFull: true }
    case 'away':
      return { ...lease, isFull: false }
    case 'offline':
      return missed(lease, 'offline', now)
  }
}

/** A node accepts. One that was taken to be silent is heard again, but stays replaced. */
export function accepted(round: Round, position: number, now: number): Round {
  const changed = mapLease(round, position, (lease) =>
    lease.state === 'offering' || lease.state === 'offered' ? { ...lease, state: 'leased' } : lease,
  )
  return passTime(changed, now)
}

export function declined(round: Round, position: number, now: number): Round {
  const changed = mapLease(round, position, (lease) =>
    isOpen(lease) ? missed(lease, 'declined', now) : lease,
  )
  return passTime(changed, now)
}

/** Whether a vote of this member would still count. */
export function isVoteAwaited(round: Round, position: number, now: number): boolean {
  const lease = round.leases[position]
  return round.closedAt === null && lease !== undefined && now <= lease.voteBy
}

/**
 * A valid vote of a member that was asked. The first one ends its lease, also when the member was taken to be silent; a
 * second one that says otherwise stands beside it, and after the close is evidence alone.
 */
export function voted(round: Round, vote: TaskVote, result: Result, now: number): Round {
  const { position } = vote.committee
  const own = votesOf(round).filter(({ public_key }) => public_key === vote.public_key)
  if ([...own, ...round.evidence].some((other) => isSameVote(other, vote))) return round
  if (round.closedAt !== null)
    return own.length === 0 || round.evidence.some(({ public_key }) => public_key === vote.public_key)
      ? round
      : { ...round, evidence: [...round.evidence, vote] }
  if (own.length > 1 || round.votes.length >= votesMax) return round
  const changed = mapLease(round, position, (lease) => ({
    ...lease,
    state: 'voted',
    missedBecause: null,
    completedAt: lease.completedAt ?? now,
  }))
  const counted: Round = {
    ...changed,
    votes: [...round.votes, { vote, receivedAt: now }],
    results: { ...round.results, [vote.receipt_hash]: round.results[vote.receipt_hash] ?? result },
  }
  const agreedAt = counted.agreedAt ?? (tallyOf(counted).clean ? now : null)
  return passTime({ ...counted, agreedAt }, now)
}

export const isSameVote = (one: TaskVote, other: TaskVote): boolean =>
  one.public_key === other.public_key && one.receipt_hash === other.receipt_hash

/** A vote that was not taken. Its sender may still send a good one. */
export const refused = (round: Round, position: number, because: 'invalid_vote' | 'late'): Round =>
  mapLease(round, position, (lease) => ({ ...lease, refused: because }))

/** The node was told that nothing is awaited of it. */
export const cancelled = (round: Round, position: number): Round =>
  mapLease(round, position, (lease) => ({ ...lease, isObsolete: false }))

/**
 * The block that decides whether the round is audited; after a reorganisation it is another one. Nobody can be asked before
 * the first is found, however long the chain is silent.
 */
export function auditBlockFound(round: Round, block: Block, isAudited: boolean, now: number): Round {
  if (round.closedAt === null || round.outcome !== null || round.auditBlock?.hash === block.hash) return round
  return { ...round, auditBlock: block, isAudited, askableAt: round.askableAt ?? now }
}

/** What validators answered when they were asked. */
export interface Answers {
  /** Checked: of validators, and about this round. */
  votes: readonly FinalityVote[]
  /** Of runs of their own, checked against their receipts; by receipt hash. */
  results: Readonly<Record<string, Result>>
  /** Keys of the validators there are now. */
  validators: readonly string[]
}

/** A quorum on one record, of which the result is there, ends the round; time without one does too. */
export function answered(round: Round, answers: Answers, at: { now: number; ms: number }): Round {
  if (round.outcome !== null || round.closedAt === null || agreedAtOf(round) === null) return round
  const latest = new Map(
    [...round.finalityVotes, ...answers.votes].map((vote) => [vote.public_key, vote] as const),
  )
  const finalityVotes = [...latest.values()]
  const results = { ...answers.results, ...round.results }
  const attempts = round.asking.attempts + 1
  const nextAt = at.now + firstPauseSecs * 2 ** Math.min(16, attempts - 1)
  const asked = { ...round, finalityVotes, results, asking: { attempts, nextAt } }
  const failsAt = (round.askableAt ?? round.closedAt) + failSecs
  const isTimeUp = at.now >= failsAt
  const record = signedRecord(finalityVotes, answers.validators)
  const result = record && results[record.receipt_hash]
  // A result that nobody shows is waited for as long as a quorum is.
  if (record !== null && (result || isTimeUp)) {
    const judged = result?.fitsVote === false ? excused(asked) : asked
    return { ...judged, outcome: { state: 'finalized', record, at: at.now, ms: at.ms } }
  }
  if (isTimeUp) return { ...asked, outcome: { state: 'failed', at: at.now } }
  return { ...asked, asking: { attempts, nextAt: Math.min(nextAt, failsAt) } }
}

/** Nobody could send the result with a vote, so nobody missed a vote. */
const excused = (round: Round): Round =>
  mapLeases(round, (lease) =>
    lease.state === 'missed' ? { ...lease, state: 'cancelled', missedBecause: 'too_large' } : lease,
  )

function mapLease(round: Round, position: number, change: (lease: Lease) => Lease): Round {
  return mapLeases(round, (lease) => (lease.position === position ? change(lease) : lease))
}

function mapLeases(round: Round, change: (lease: Lease) => Lease): Round {
  const leases = round.leases.map(change)
  return leases.every((lease, i) => lease === round.leases[i]) ? round : { ...round, leases }
}
