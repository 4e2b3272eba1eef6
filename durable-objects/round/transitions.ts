import type { Block } from '../../protocol/committees/index.ts'
import { askedSeconds } from '../../protocol/earnings/index.ts'
import {
  askedSeats,
  type FinalityVote,
  type KeptCommittee,
  type Seat,
  signedRecord,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import type { OfferResult } from '../link/types.ts'
import {
  agreedAtOf,
  datedAt,
  deadlineOf,
  drawnBy,
  fallbackOf,
  isOpen,
  isToConfirm,
  type Lease,
  type Result,
  type Round,
  tallyOf,
  votesOf,
  waitsUntil,
} from './round.ts'
import type { MissReason } from './states.ts'

/** How events change a round, in network time. An event that changes nothing gives the round back as it is, so everything may happen twice. */

const firstPauseSecs = 5

/**
 * The round is loaded again. Another process of the hub has it: none was there for a while. In the same one the object was dropped from memory,
 * and an answer that was not stored yet may be lost.
 */
export const resumed = (round: Round, processId: string): Round =>
  round.processId === processId
    ? mapLeases(round, (lease) => (lease.state === 'leased' ? lease : interruptedLease(lease)))
    : { ...interrupted(round), processId }

/** The hub was away, or too busy to look: what nodes said meanwhile may be lost, and whether they were told may not have been stored. */
export const interrupted = (round: Round): Round => mapLeases(round, interruptedLease)

const interruptedLease = (lease: Lease): Lease =>
  isOpen(lease) && !lease.isInterrupted ? { ...lease, isInterrupted: true } : lease

export function seated(round: Round, drawn: KeptCommittee, now: number): Round {
  if (round.drawn !== null || round.outcome !== null) return round
  // Until now lists show the round without its committee.
  return passTime({ ...round, drawn, listed: null }, now)
}

/** Changes that follow from the time alone: leases end, backups are asked, the round closes. */
export function passTime(round: Round, now: number): Round {
  if (round.drawn === null) return now > drawnBy(round) ? undrawn(round, now) : round
  if (round.closedAt !== null) return round
  if (fallbackOf(round) !== null) return close(round, now)
  const expired = mapLeases(round, (lease) => expire(round, lease, now))
  const asked = askNext(expired, now)
  return asked.leases.some(isOpen) && now <= deadlineOf(round) ? asked : close(asked, now)
}

/** The set could not be read in all this time: nobody can be asked any more, and validators could not judge a round without it. */
const undrawn = (round: Round, now: number): Round =>
  round.outcome !== null
    ? round
    : { ...round, outcome: { state: 'failed', error: 'set_unreadable', at: now } }

function expire(round: Round, lease: Lease, now: number): Lease {
  if (!isOpen(lease)) return lease
  if (lease.state === 'offering') return now > waitsUntil(round, lease) ? untold(lease, now) : lease
  const isOver = now > (lease.state === 'leased' ? lease.voteBy : lease.acceptBy)
  return isOver ? overdue(round, lease, now) : lease
}

/** The end of a lease whose node was not told of it, as far as the hub knows, and so owes nothing. */
const untold = (lease: Lease, now: number): Lease => endLease(lease, 'cancelled', untoldBecause(lease), now)

function untoldBecause({ isInterrupted, isFull }: Lease): MissReason {
  if (isInterrupted) return 'hub_away'
  return isFull ? 'full' : 'not_told'
}

/** The end of a lease whose time is over. A member that could not reach the hub in that time, or had too little of it, owes nothing. */
function overdue(round: Round, lease: Lease, now: number): Lease {
  if (lease.isInterrupted) return endLease(lease, 'cancelled', 'hub_away', now)
  if (isCutShort(round, lease)) return endLease(lease, 'cancelled', 'cut_short', now)
  return missed(lease, lease.state === 'leased' ? 'late' : 'not_accepted', now)
}

/** Whether the deadline took more of a primary's lease than the primary may take to accept, or than half of it. Backups owe nothing. */
function isCutShort({ terms }: Round, { role, askedAt, acceptBy, voteBy }: Lease): boolean {
  const { leaseSecs, roundSecs, acceptSecs } = terms.rules
  const whole = Math.min(leaseSecs, roundSecs)
  const given = voteBy - (askedAt ?? acceptBy - acceptSecs)
  return role === 'primary' && given < whole - Math.min(acceptSecs, whole / 2)
}

const missed = (lease: Lease, missedBecause: MissReason, now: number): Lease =>
  endLease(lease, 'missed', missedBecause, now)

const endLease = (
  lease: Lease,
  state: 'cancelled' | 'missed',
  missedBecause: MissReason,
  now: number,
): Lease => ({ ...lease, state, missedBecause, completedAt: Math.max(now, lease.createdAt) })

/** Adds leases for the members that are to be asked and were not. */
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
    createdAt: datedAt(round, now),
    ...timesFrom(round, now),
    completedAt: null,
    refused: null,
    isHeard: false,
    isObsolete: false,
  }
}

/** By when a member that is asked at a time accepts, and votes. */
function timesFrom(round: Round, now: number): Pick<Lease, 'askedAt' | 'acceptBy' | 'voteBy'> {
  const { acceptSecs, leaseSecs } = round.terms.rules
  const from = datedAt(round, now)
  const voteBy = Math.min(from + leaseSecs, deadlineOf(round))
  return { askedAt: from, acceptBy: Math.min(from + acceptSecs, voteBy), voteBy }
}

/** The deadline holds, however late somebody notices that it has passed. */
function close(round: Round, now: number): Round {
  const ended = mapLeases(round, (lease) => {
    if (lease.state === 'offering') return untold(lease, now)
    if (isOpen(lease)) return overdue(round, lease, now)
    const mayStillRun = lease.missedBecause === 'not_accepted' || lease.missedBecause === 'hub_away'
    return mayStillRun && now <= lease.voteBy ? { ...lease, isObsolete: true } : lease
  })
  return { ...ended, closedAt: Math.min(datedAt(round, now, round.agreedAt), deadlineOf(round)) }
}

/** Before a node is told of its offer: its times count from now on, however late that is. */
export const offering = (round: Round, position: number, now: number): Round =>
  mapLease(round, position, (lease) =>
    lease.state === 'offering' ? { ...lease, ...timesFrom(round, now) } : lease,
  )

/** The result of telling a node its offer. A node that is full, or has just lost its socket, is told again while the round may wait. */
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
    case 'dropped':
      return endLease(lease, 'cancelled', 'hub_away', now)
    case 'offline':
    case 'absent':
      return missed(lease, outcome, now)
  }
}

/** A node accepts. If it already counts as silent, it stays replaced, though its vote may still come in time. */
export const accepted = (round: Round, position: number): Round =>
  mapLease(round, position, (lease) =>
    lease.state === 'offering' || lease.state === 'offered' ? { ...lease, state: 'leased' } : lease,
  )

/** A node declines; too late to accept, that says no more than silence. @param isServed - The hub gave it all that running the task takes. */
export function declined(round: Round, position: number, isServed: boolean, now: number): Round {
  const changed = mapLease(round, position, (lease) => {
    if (!isOpen(lease)) return lease
    const isTooLate = lease.state !== 'leased' && now >= lease.acceptBy
    if (isTooLate || isCutShort(round, lease)) return overdue(round, lease, now)
    return isServed ? missed(lease, 'declined', now) : endLease(lease, 'cancelled', 'unserved', now)
  })
  return passTime(changed, now)
}

/** A vote came in its time. If the hub fails to judge or store it, or takes longer than the lease, its member is not to blame. */
export const voteCame = (round: Round, position: number, now: number): Round =>
  mapLease(round, position, (lease) =>
    isOpen(lease) && now <= lease.voteBy ? { ...lease, isInterrupted: true } : lease,
  )

/** The hub has looked at it. @param before - The lease as it was when the vote came. */
export const voteJudged = (round: Round, { position, isInterrupted }: Lease): Round =>
  mapLease(round, position, (lease) => (isOpen(lease) ? { ...lease, isInterrupted } : lease))

export function isVoteAwaited(round: Round, position: number, now: number): boolean {
  const lease = round.leases[position]
  return round.closedAt === null && lease !== undefined && now <= lease.voteBy
}

/**
 * A valid vote of a member that was asked. The first ends its lease, also when it was taken to be silent; a second that says otherwise stands
 * beside it, and after the close is evidence alone.
 */
export function voted(round: Round, vote: TaskVote, result: Result, now: number, error?: string): Round {
  const { position } = vote.committee
  const own = votesOf(round).filter(({ public_key }) => public_key === vote.public_key)
  if ([...own, ...round.evidence].some((other) => isSameVote(other, vote))) return round
  if (round.closedAt !== null)
    return own.length === 0 || round.evidence.some(({ public_key }) => public_key === vote.public_key)
      ? round
      : { ...round, evidence: [...round.evidence, vote] }
  // Each member thus has at most two votes, which is the limit of validators.
  if (own.length > 1) return round
  const receivedAt = datedAt(round, now, round.leases[position]?.createdAt)
  const changed = mapLease(round, position, (lease) => ({
    ...lease,
    state: 'voted',
    missedBecause: null,
    completedAt: lease.completedAt ?? receivedAt,
  }))
  const counted: Round = {
    ...changed,
    votes: [...round.votes, { vote, receivedAt, ...(error !== undefined && { error }) }],
    results: { ...round.results, [vote.receipt_hash]: round.results[vote.receipt_hash] ?? result },
  }
  // No vote that makes it clean came later: by the block that decides about an audit, all of them had voted.
  const newestAt = counted.votes.reduce((time, one) => Math.max(time, one.receivedAt), receivedAt)
  const agreedAt = counted.agreedAt ?? (tallyOf(counted).clean ? newestAt : null)
  return passTime({ ...counted, agreedAt }, now)
}

const isSameVote = (one: TaskVote, other: TaskVote): boolean =>
  one.public_key === other.public_key && one.receipt_hash === other.receipt_hash

/** A vote that was not taken. Its sender may still send a good one, and has had its offer, whether it said so or not. */
export const refused = (
  round: Round,
  position: number,
  because: 'invalid_vote' | 'late',
  voteProblem: string | null = null,
): Round =>
  mapLease(round, position, (lease) => ({
    ...lease,
    refused: because,
    voteProblem,
    state: lease.state === 'offered' ? 'leased' : lease.state,
    // An earlier confirmation by the link says nothing of this vote.
    ...(lease.missedBecause === 'not_accepted' && { missedBecause: 'late', isHeard: false }),
  }))

/** The node was told that nothing is awaited of it. */
export const cancelled = (round: Round, position: number): Round =>
  mapLease(round, position, (lease) => ({ ...lease, isObsolete: false }))

/** The link of a member that gave no answer in time says whether it was there all the time. */
export const confirmed = (round: Round, position: number, isHeard: boolean): Round =>
  mapLease(round, position, (lease) => {
    if (!isToConfirm(lease) || round.outcome !== null) return lease
    return isHeard ? { ...lease, isHeard } : { ...lease, state: 'cancelled', missedBecause: 'hub_away' }
  })

/** The block that decides about an audit; after a reorganisation another one. Nobody can be asked before the first is found. */
export function auditBlockFound(round: Round, block: Block, isAudited: boolean, now: number): Round {
  if (round.closedAt === null || round.outcome !== null || round.auditBlock?.hash === block.hash) return round
  return {
    ...round,
    auditBlock: block,
    isAudited,
    askableAt: round.askableAt ?? Math.max(now, round.closedAt),
  }
}

export interface Answers {
  /** Checked: of validators, and about this round. */
  votes: readonly FinalityVote[]
  /** Of runs of their own, checked against their receipts; by receipt hash. */
  results: Readonly<Record<string, Result>>
  validators: readonly string[]
}

/** A quorum on one record, of which the result is there, ends the round; time without one does too. */
export function answered(round: Round, answers: Answers, at: { now: number; ms: number }): Round {
  const agreedAt = agreedAtOf(round)
  if (round.outcome !== null || round.closedAt === null || agreedAt === null) return round
  const latest = new Map(
    [...round.finalityVotes, ...answers.votes].map((vote) => [vote.public_key, vote] as const),
  )
  const finalityVotes = [...latest.values()]
  const results = { ...answers.results, ...round.results }
  const attempts = round.asking.attempts + 1
  const nextAt = at.now + firstPauseSecs * 2 ** Math.min(16, attempts - 1)
  const asked = { ...round, finalityVotes, results, asking: { attempts, nextAt } }
  const failsAt = (round.askableAt ?? round.closedAt) + askedSeconds
  const isTimeUp = at.now >= failsAt
  const endedAt = Math.max(at.now, agreedAt)
  const record = signedRecord(finalityVotes, answers.validators)
  const result = record && results[record.receipt_hash]
  // A result that nobody shows is waited for as long as a quorum is.
  if (record !== null && (result || isTimeUp)) {
    const judged = result?.fitsVote === false ? excused(asked) : asked
    return { ...judged, outcome: { state: 'finalized', record, at: endedAt, ms: Math.max(0, at.ms) } }
  }
  if (isTimeUp) return { ...asked, outcome: { state: 'failed', at: endedAt } }
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
