import type { DirectRound } from '../../protocol/identity/index.ts'
import type { Result } from './round.ts'

/** A run that every validator is asked for, without a project. */
export interface DirectRequest {
  roundId: string
  round: DirectRound
  /** Base64. */
  input: string
}

/** What validators gave: a quorum of equal receipts, or none in time. */
export interface DirectOutcome {
  result: Result | null
  /** Valid ones. */
  votes: number
  quorum: number
}
