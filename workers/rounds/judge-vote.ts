import type { VoteBody } from '../../durable-objects/link/types.ts'
import { type Lease, type Round, votesOf } from '../../durable-objects/round/round.ts'
import type { Judgement } from '../../durable-objects/round/types.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { hasSeat, isTaskVote, parseTaskVote, type TaskVote, VoteError } from '../../protocol/rounds/index.ts'
import { verifyNatively } from '../native-ed25519.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import { claimedErrorOf, keepRun, readRun } from './run-result.ts'

/** Judges a vote by all five points of section 17, and its run by the receipt. Signatures cost most: they come last, and for known votes never. */
export async function judgeVote(
  { profile, roundFiles }: { profile: Profile; roundFiles: RoundFiles },
  round: Round,
  lease: Lease,
  { vote: value, output_b64, events, error: claimed }: VoteBody,
): Promise<Judgement> {
  if (!isTaskVote(value)) return invalid('it does not have exactly the members of a task vote')
  if (value.round_id !== round.terms.roundId) return invalid('it is of another round')
  if (value.public_key !== lease.nodeKey || value.committee.position !== lease.position)
    return invalid('it is of another member')
  if (round.drawn === null || !hasSeat(round.drawn, value))
    return invalid('its key was not drawn, or was drawn with another payout address')
  if (votesOf(round).some((known) => isSameSigned(known, value))) return { status: 'known' }
  const run = readRun(value.receipt, { output_b64, events })
  if (!run.ok) return invalid(run.problem)
  try {
    const vote = parseTaskVote(profile, value, verifyNatively)
    const known = round.results[vote.receipt_hash]
    const result = known ?? (await keepRun(roundFiles, vote.receipt, run))
    const error = claimedErrorOf(vote.receipt, claimed)
    return { status: 'valid', vote, result, ...(error !== null && { error }) }
  } catch (error) {
    if (error instanceof VoteError) return invalid(error.message)
    throw error
  }
}

const isSameSigned = (one: TaskVote, other: TaskVote): boolean =>
  one.receipt_hash === other.receipt_hash &&
  one.signature === other.signature &&
  one.round_signature === other.round_signature

const invalid = (message: string): Judgement => ({ status: 'invalid', message })
