/** The committee of a round as a picture: who was drawn, who was asked, who voted what, who signed. */
import { quorum } from '../../../protocol/committees/index.ts'
import type { Round, RoundSummary } from './hub.ts'

export type RoundState = Round['state']

export interface Seat {
  readonly name: string | null
  readonly backup: boolean
  /** Share of the largest weight, from 0 to 1. */
  readonly weight: number
}

export interface Vote {
  readonly seat: number
  /** Equal results have the same number; 0 is the result that counts. */
  readonly result: number
}

export interface Ring {
  /** False if validators vote on something else, without a committee. */
  readonly isTask: boolean
  readonly seats: readonly Seat[]
  /** In the order in which they are shown. */
  readonly votes: readonly Vote[]
  /** Equal votes that decide. */
  readonly quorum: number
  readonly validators: number
  /** Names of the validators that signed; null if only their number is known. */
  readonly signers: readonly (string | null)[]
  readonly signaturesNeeded: number
  readonly audited: boolean
  readonly state: RoundState
  /** Whether the function failed, on which a final round agrees too. */
  readonly runFailed: boolean
}

/** How far a round is. */
export interface Frame {
  readonly step: 'received' | 'drawn' | 'asked' | 'voted' | 'agreed' | 'rerun' | 'signed' | 'final' | 'failed'
  readonly asked: boolean
  readonly votes: number
  readonly signed: number
  readonly state: RoundState | 'queued' | 'running'
}

export interface Validators {
  readonly count: number
  readonly quorum: number
}

/** From a row of a list, which has numbers and no names. */
export function ringOfSummary(round: RoundSummary, validators: Validators): Ring {
  const { kind, committee_size = 0, votes = 0, agreeing = 0, state, audited = false } = round
  // Rounds of other kinds are voted on by the validators alone.
  const isTask = kind === 'task'
  const size = isTask ? committee_size : 0
  const signed = !isTask ? agreeing : state === 'finalized' ? validators.quorum : 0
  return {
    isTask,
    seats: Array.from({ length: size }, () => ({ name: null, backup: false, weight: 1 })),
    votes: Array.from({ length: isTask ? votes : 0 }, (_, seat) => ({
      seat,
      result: seat < agreeing ? 0 : 1,
    })),
    quorum: quorum(size),
    validators: Math.max(validators.count, signed),
    signers: Array.from({ length: signed }, () => null),
    signaturesNeeded: validators.quorum,
    audited,
    state,
    runFailed: round.success === false,
  }
}

export function ringOf(round: Round, validators: Validators): Ring {
  const { committee, votes_detail: details = [], finality_votes: signatures = [] } = round
  const summary = ringOfSummary(round, validators)
  if (!summary.isTask) return summary
  const signers = signatures.map((one) => one.node_id)
  if (!committee) return { ...summary, signers }
  const drawn = committee.fallback ? [] : committee.draw
  const largest = Math.max(1, ...drawn.map((member) => Number(member.weight)))
  const results = resultsByVotes(details, round.receipt_hash)
  return {
    ...summary,
    seats: drawn.map(({ node_id, role, weight }) => ({
      name: node_id,
      backup: role === 'backup',
      weight: Number(weight) / largest,
    })),
    votes: details.map((vote) => ({
      seat: vote.committee.position,
      result: results.indexOf(vote.receipt_hash),
    })),
    quorum: committee.quorum,
    validators: Math.max(validators.count, signers.length),
    signers,
  }
}

/** Receipt hashes, the one that counts first, then those with most votes. */
function resultsByVotes(votes: readonly { receipt_hash: string }[], decided: string | undefined): string[] {
  const counts = new Map<string, number>()
  for (const { receipt_hash: hash } of votes) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const rank = (hash: string) => (hash === decided ? Number.POSITIVE_INFINITY : (counts.get(hash) ?? 0))
  return [...counts.keys()].sort((a, b) => rank(b) - rank(a))
}

export const agreeing = (votes: readonly Vote[]): number => votes.filter(({ result }) => result === 0).length

/** Every step that a round has taken, from the task to where it is. */
export function framesOf(ring: Ring): Frame[] {
  const frames: Frame[] = []
  const add = (frame: Partial<Frame> & Pick<Frame, 'step'>) =>
    frames.push({ ...(frames.at(-1) ?? start), ...frame })
  add({ step: 'received' })
  if (ring.seats.length > 0) {
    add({ step: 'drawn', state: 'running' })
    add({ step: 'asked', asked: true })
    for (let votes = 1; votes <= ring.votes.length; votes++) add({ step: 'voted', votes })
  }
  const agreed = ring.seats.length > 0 && agreeing(ring.votes) >= ring.quorum
  const isOver = ring.state === 'finalized'
  if (agreed) add({ step: 'agreed', state: 'committee_agreed' })
  const isRerun =
    ring.audited || ring.state === 'escalated' || ring.state === 'fallback' || (isOver && !agreed)
  if (ring.isTask && isRerun)
    add({ step: 'rerun', state: ring.seats.length === 0 ? 'fallback' : 'escalated' })
  for (let signed = 1; signed <= ring.signers.length; signed++) add({ step: 'signed', signed })
  if (isOver) add({ step: 'final', state: 'finalized' })
  if (ring.state === 'failed') add({ step: 'failed', state: 'failed' })
  return frames
}

/** Before anything is known of it. */
export const start: Frame = { step: 'received', asked: false, votes: 0, signed: 0, state: 'queued' }

export const lastFrame = (ring: Ring): Frame => framesOf(ring).at(-1)!
