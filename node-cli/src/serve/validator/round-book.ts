import {
  type ExecutionVote,
  executionSubject,
  type FinalityRecord,
  type FinalityVote,
} from '../../../../protocol/rounds/index.ts'
import type { Uses } from '../part.ts'
import type { CheckedVote } from '../store/round-votes.ts'
import type { RoundRecord } from '../store/rounds.ts'
import { type Count, countDirect, countFinality } from './counts.ts'
import { findOffences } from './offences.ts'

export type RoundBookParts = Uses<
  'clock' | 'generations' | 'identity' | 'log',
  'evidence' | 'projectRules' | 'rounds' | 'roundVotes' | 'sets' | 'votes'
>

/** Finds out what the votes that are kept make of a round, and keeps that. Every step may be repeated. */
export class RoundBook {
  readonly #parts: RoundBookParts

  constructor(parts: RoundBookParts) {
    this.#parts = parts
  }

  /** Makes a task round final once a quorum signed one record, and keeps the evidence that it gives. */
  settle(roundId: string): Count {
    const { store, clock, log } = this.#parts
    const votes = store.roundVotes.ofRound(roundId, 'finality')
    const count = countFinality(votes, (record) => this.#validatorsOf(record))
    const decisive = votes.find(({ subject }) => subject === count.decided)
    if (decisive !== undefined) {
      const { finality } = decisive.vote
      if (store.rounds.finalize(finality, decisive.subject, clock.now()))
        log.info('round final', {
          round_id: roundId,
          receipt_hash: finality.receipt_hash,
          audited: finality.audited,
          voters: finality.voters.length,
        })
    }
    this.keepOffences(roundId)
    return count
  }

  /** Closes a direct round once a quorum of the validators gave one result. */
  settleDirect(roundId: string): Count {
    const { store, clock, log } = this.#parts
    const count = this.countDirect(roundId)
    if (count.decided !== null && store.rounds.close(roundId, clock.now()))
      log.info('direct round decided', { round_id: roundId })
    return count
  }

  /** Counts a direct round by the generation in force when it was issued, which its id covers. */
  countDirect(roundId: string): Count {
    const votes = this.directVotes(roundId)
    const issuedAt = votes[0]?.vote.round.issued_at ?? 0
    return countDirect(votes, this.#parts.generations.at(issuedAt)?.keys ?? [])
  }

  directVotes(roundId: string): readonly CheckedVote<ExecutionVote>[] {
    const { store, identity } = this.#parts
    const heard = store.roundVotes.ofRound(roundId, 'execution')
    const given = store.votes.find(identity.publicKey, 'execution', roundId)
    if (given === null || heard.some(({ vote }) => vote.public_key === identity.publicKey)) return heard
    const vote = JSON.parse(given.vote) as ExecutionVote
    return [...heard, { vote, subject: executionSubject(vote) }]
  }

  /** Keeps the evidence that a round gives, as far as this node judged it. */
  keepOffences(roundId: string): void {
    const round = this.#parts.store.rounds.find(roundId)
    if (round?.task == null || round.judgement === null) return
    const { task, judgement } = round
    const votes = this.#parts.store.roundVotes.ofRound(roundId, 'task').map(({ vote }) => vote)
    const final = round.final && { record: round.final, votes: this.finalVotes(round) }
    this.keepEvidence({ task, members: judgement.members, votes, final })
  }

  keepEvidence(facts: Parameters<typeof findOffences>[0]): void {
    const { store, clock, log } = this.#parts
    for (const evidence of findOffences(facts))
      if (store.evidence.keep(evidence, clock.now()))
        log.warn('evidence of an offence kept', {
          round_id: evidence.round_id,
          kind: evidence.kind,
          node_key: evidence.node_key,
        })
  }

  /** The votes of the validators of its epoch for the final record of a round, in the order of their keys. */
  finalVotes(round: RoundRecord): readonly FinalityVote[] {
    const { store } = this.#parts
    const validators = new Set(round.final === null ? [] : this.#validatorsOf(round.final))
    return store.roundVotes
      .ofRound(round.roundId, 'finality')
      .filter(({ vote, subject }) => subject === round.finalityHash && validators.has(vote.public_key))
      .map(({ vote }) => vote)
  }

  /** Keys of the validators of a record's epoch; none while this node does not know them. */
  #validatorsOf({ round_id, set_hash, project_id: projectId, epoch }: FinalityRecord): readonly string[] {
    const { store, generations } = this.#parts
    const epochSecs =
      store.sets.epochSecs({ setHash: set_hash, projectId, epoch }) ??
      this.#judgedEpochSecs(round_id, set_hash)
    return epochSecs === null ? [] : (generations.ofEpoch(epoch, epochSecs)?.keys ?? [])
  }

  /** Rules are kept for longer than sets. */
  #judgedEpochSecs(roundId: string, setHash: string): number | null {
    const { store } = this.#parts
    const task = store.rounds.find(roundId)?.task
    if (task?.set_hash !== setHash) return null
    return store.projectRules.find(task.project_id, task.consensus_hash)?.work.epoch_secs ?? null
  }
}
