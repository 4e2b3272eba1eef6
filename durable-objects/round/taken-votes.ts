import type { VoteBody, VoteResult } from '../link/types.ts'
import type { KeptRound } from './kept-round.ts'
import { orElse } from './or-else.ts'
import { type Lease, publicState, type Round } from './round.ts'
import * as transitions from './transitions.ts'
import type { RoundConfig } from './types.ts'

/** How many characters of the problem of a vote are kept for its owner. */
const voteProblemMax = 300

/** The answer to a vote, and whether the round has to look for effects that are due now. */
interface TakenVote {
  readonly result: VoteResult
  readonly isNews: boolean
}

/** Votes of a committee on their way into its round. */
export class TakenVotes<View> {
  readonly #kept: KeptRound
  readonly #config: Pick<RoundConfig<View>, 'judge' | 'reportInvalid'>
  /** By position: how many votes are being judged, and the lease before the first of them. */
  readonly #judging = new Map<number, { count: number; before: Lease }>()

  constructor(kept: KeptRound, config: Pick<RoundConfig<View>, 'judge' | 'reportInvalid'>) {
    this.#kept = kept
    this.#config = config
  }

  /** @param lease - Of the node that votes; null if it was never asked. @returns Once a vote that is taken is stored. */
  async take(lease: Lease | null, body: VoteBody, cameAt: number): Promise<TakenVote> {
    const kept = this.#kept
    if (kept.round === null || lease === null)
      return refusal('invalid_state', 'The round is over, or it never asked this node.')
    const judging = this.#judging.get(lease.position) ?? { count: 0, before: lease }
    this.#judging.set(lease.position, judging)
    judging.count++
    kept.note((round) => transitions.voteCame(round, lease.position, cameAt))
    const problem = `a vote of ${lease.nodeKey} in ${kept.round.terms.roundId} cannot be looked at`
    const judgement = await this.#config.judge(kept.round, lease, body).catch(orElse(null, problem))
    judging.count--
    const isLast = judging.count === 0
    if (isLast) this.#judging.delete(lease.position)
    if (judgement === null) {
      judging.before = { ...judging.before, isInterrupted: true }
      return refusal('unavailable', 'The vote cannot be checked now. Send the same vote again shortly.')
    }
    const judged = (round: Round) => (isLast ? transitions.voteJudged(round, judging.before) : round)
    if (judgement.status === 'invalid') {
      const check = judgement.message.slice(0, voteProblemMax)
      kept.change((round) => transitions.refused(judged(round), lease.position, 'invalid_vote', check))
      await this.#config.reportInvalid(lease.nodeKey)
      return refusal('invalid_evidence', `This is not a vote of the round: ${judgement.message}.`)
    }
    if (kept.round === null) return refusal('invalid_state', 'The round is over.')
    if (judgement.status === 'valid') {
      // A vote after the close may only be evidence.
      const isAwaited = transitions.isVoteAwaited(kept.round, lease.position, cameAt)
      const taken = (round: Round) =>
        transitions.voted(judged(round), judgement.vote, judgement.result, cameAt, judgement.error)
      if (!isAwaited) {
        if (kept.round.closedAt !== null) kept.change(taken)
        kept.change((round) => transitions.refused(judged(round), lease.position, 'late'))
        return { ...refusal('invalid_state', 'The vote came after its deadline.'), isNews: true }
      }
      const before = kept.round
      kept.note(taken)
      // The same vote again waits only while the first is not stored.
      if (kept.round !== before || kept.isVoteWaiting) await kept.voteStored()
    } else {
      kept.note(judged)
      // A node forgets its vote once it is told that it is stored.
      if (kept.isVoteWaiting) await kept.voteStored()
    }
    if (kept.round === null) return refusal('invalid_state', 'The round is over.')
    return { result: { ok: true, state: publicState(kept.round) }, isNews: true }
  }
}

const refusal = (code: string, message: string): TakenVote => ({
  result: { ok: false, code, message },
  isNews: false,
})
