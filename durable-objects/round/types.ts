import type { Block } from '../../protocol/committees/index.ts'
import type { DeclineReason, RoundAnswer } from '../../protocol/link/index.ts'
import type { FinalityVote, KeptCommittee, TaskVote } from '../../protocol/rounds/index.ts'
import type { OfferResult, VoteBody } from '../link/types.ts'
import type { DirectOutcome, DirectRequest } from './direct.ts'
import type { Lease, Outcome, Result, Round, RoundTerms } from './round.ts'
import type { Answers } from './transitions.ts'

export type Judgement =
  | { status: 'valid'; vote: TaskVote; result: Result; error?: string }
  | { status: 'known' }
  | { status: 'invalid'; message: string }

/** Takes a validator's answer over its link. @returns The problem with it, as a sentence; null if it is valid. */
export type AnswerListener = (publicKey: string, answer: RoundAnswer) => Promise<string | null>

/** The stored data of a round that is over. */
export interface Recorded<View> {
  /** How everybody reads it. */
  view: View
  /** The row that lists show, and the consequences of its end. */
  row: unknown
}

/** A round that is over, as its project is told. */
export interface EndedRound {
  roundId: string
  epoch: number
  /** Of {@link Recorded}. */
  row: unknown
  /** Its validators' votes, of which each validator is told. */
  finalityVotes: readonly FinalityVote[]
}

/** The services that a round uses. A call that throws is tried again later. @typeParam View - How everybody reads a round. */
export interface RoundConfig<View = unknown> {
  /** Another one for each process of the hub, so that a round notices that there was none for a while. */
  processId: string
  /** Network time. */
  now(): Promise<number>
  /** How often to look whether something awaited has come; where time follows a chain, also for its leaps. */
  pollMs: number
  /** Whether network time may leap ahead of the machine's. */
  mayLeap: boolean
  seat(terms: RoundTerms): Promise<KeptCommittee>
  /** The round as everybody reads it. */
  view(round: Round): View
  /** Stores the record of a round that is over, unless it has one. @returns What is stored. */
  record(round: Round & { outcome: Outcome }): Promise<Recorded<View>>
  /** Has lists show an open round as it stands. */
  list(round: Round): Promise<void>
  /** Whether a round has its record. */
  isRecorded(roundId: string): Promise<boolean>
  /** A round as its project was told of its end, from its record; null if it has none. */
  ended(roundId: string): Promise<EndedRound | null>
  offer(round: Round, lease: Lease): Promise<OfferResult>
  cancel(round: Round, lease: Lease): Promise<void>
  /** Whether the link of a member was there for all that it said of its offer; soon after a change of parameters, its node as well. */
  wasHeard(round: Round, lease: Lease): Promise<boolean>
  judge(round: Round, lease: Lease, body: VoteBody): Promise<Judgement>
  /** Whether the hub serves what a node that declines needs to judge and run the task: set, rules, module and input, dated by a clock that is right. */
  isServed(round: Round, reason: DeclineReason): Promise<boolean>
  reportInvalid(nodeKey: string): Promise<void>
  /** Has the project tell the round the first block after a time. */
  awaitBlock(round: Round, agreedAt: number): Promise<void>
  /** The first block after a time, unless it was seen, and whether it has the round audited; null while it is not there. */
  auditBlock(
    round: Round,
    agreedAt: number,
    seen: Block | null,
  ): Promise<{ block: Block; isAudited: boolean } | null>
  /** @param listen - Has answers that come over links given to a listener, until the answers are returned. */
  ask(round: Round, listen: (listener: AnswerListener) => void): Promise<Answers>
  execute(request: DirectRequest): Promise<DirectOutcome>
  /** Tells the project that the round is over. Once this returns lists are to show it, and its validators have each other's votes. */
  end(terms: RoundTerms, ended: EndedRound): Promise<void>
}
