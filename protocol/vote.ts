import { type Profile, profileStrings } from './profile.ts'

/** The five kinds of votes. */
export type VoteKind = 'execution' | 'task' | 'finality' | 'reward' | 'epoch'

/** What a `round_signature` covers. */
export interface RoundVote {
  readonly kind: VoteKind
  readonly round_id: string
  readonly receipt_hash: string
  /** Of `execution` and `task`; the other kinds have an empty payout line. */
  readonly payout_address?: string
  /** `state_hash` of an execution with `state`, `finality_hash` of a finality vote. */
  readonly extra?: string
}

/**
 * Writes the text of a `round_signature` (section 17): lines joined by LF.
 *
 * | line | content                                                                            |
 * | ---- | ---------------------------------------------------------------------------------- |
 * | 1    | `<prefix>-vote-v1`                                                                 |
 * | 2    | kind                                                                               |
 * | 3    | `round_id`                                                                         |
 * | 4    | `receipt_hash`                                                                     |
 * | 5    | payout address of `execution` and `task`, else empty                               |
 * | 6    | `state_hash` of an execution with state, `finality_hash` of a finality vote, else no line |
 *
 * A text of kind `reward` or `epoch` therefore ends with LF.
 */
export function roundText(profile: Profile, vote: RoundVote): string {
  const lines = [
    profileStrings(profile).vote_line,
    vote.kind,
    vote.round_id,
    vote.receipt_hash,
    vote.payout_address ?? '',
  ]
  if (vote.extra !== undefined) lines.push(vote.extra)
  return lines.join('\n')
}
