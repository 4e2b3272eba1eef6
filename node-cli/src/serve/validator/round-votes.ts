import { paramsOfEpoch } from '../../../../protocol/committees/index.ts'
import { isObject } from '../../../../protocol/encoding/index.ts'
import {
  type ExecutionVote,
  type FinalityRecord,
  type FinalityVote,
  isTaskVote,
  type RoundState,
} from '../../../../protocol/rounds/index.ts'
import { generationOf, type KnownValidators } from '../generations/membership.ts'
import type { HubSources } from '../hub/sources/index.ts'
import type { Uses } from '../part.ts'
import type { ServeStore } from '../store/index.ts'
import type { CheckedVote } from '../store/round-votes.ts'
import { countDirect } from './counts.ts'
import type { CheckedValidatorVote } from './jobs.ts'
import { NotYet, Refusal, refusal } from './refusal.ts'
import type { RoundBook } from './round-book.ts'

export interface RoundCounts {
  readonly round_id: string
  readonly state: RoundState
  /** Number of votes for each subject: the hash of a receipt, or of a finality record. */
  readonly counts: Readonly<Record<string, number>>
  readonly quorum: number
}

const takenKinds = ['execution', 'task', 'finality'] as const
type TakenKind = (typeof takenKinds)[number]

/** More voters than any committee has seats. */
const votersMax = 64

export type RoundVotesParts = KnownValidators &
  Uses<
    'background' | 'clock' | 'directBackground' | 'log' | 'paramsSchedule' | 'profile',
    'file' | 'rounds' | 'roundVotes' | 'sets' | 'transaction'
  >

/** Takes the votes of other nodes: each is verified, and counts once. */
export class RoundVotes {
  readonly #parts: RoundVotesParts
  readonly #hub: HubSources
  readonly #book: RoundBook

  constructor(parts: RoundVotesParts, hub: HubSources, book: RoundBook) {
    this.#parts = parts
    this.#hub = hub
    this.#book = book
  }

  /** @throws {@link Refusal} for a value that is not a vote of its round; {@link NotYet}. */
  take(value: unknown): Promise<RoundCounts> {
    const kind = isObject(value) ? value.kind : undefined
    if (!isTakenKind(kind)) throw refusal('kind', `must be one of ${takenKinds.join(', ')}.`)
    const take = { execution: this.#takeExecution, task: this.#takeTask, finality: this.#takeFinality }
    return take[kind].call(this, value)
  }

  /**
   * Takes finality votes that others keep. Invalid votes count for nothing, and neither do those of a key that tells of too many unknown rounds.
   *
   * @returns How many were new.
   * @throws {@link NotYet} where this node cannot tell yet who validates for one of them.
   */
  async takeFinalityVotes(votes: readonly unknown[]): Promise<number> {
    const valid = (await this.#checkFinality(votes)).flatMap((one) =>
      one.status === 'valid' ? [one.checked] : [],
    )
    // Twice: a round that is unknown to this node may be told of by a later vote of another key.
    const fresh = [...valid, ...valid].filter((checked) => ['new', 'conflict'].includes(this.#keep(checked)))
    for (const roundId of new Set(fresh.map(({ vote }) => vote.round_id))) this.#book.settle(roundId)
    return fresh.length
  }

  /**
   * A vote for the result that a quorum of the validators gave in one direct round. Invalid votes do not count, and no vote
   * is stored.
   *
   * @throws {@link Refusal}
   */
  async decidedDirect(values: readonly unknown[]): Promise<ExecutionVote> {
    const { directBackground, profile, generations } = this.#parts
    const validators = await this.#allValidators(values)
    const found = await Promise.all(
      values.map((vote) => directBackground.run('checkExecutionVote', profile, vote, validators)),
    )
    const votes = found.flatMap((one) => (one.status === 'valid' ? [one.checked] : []))
    if (new Set(votes.map(({ vote }) => vote.round_id)).size > 1)
      throw refusal('votes', 'must be of one round.')
    const issuedAt = (votes[0]?.vote as ExecutionVote | undefined)?.round.issued_at ?? 0
    const { decided, quorum } = countDirect(votes, generations.at(issuedAt)?.keys ?? [])
    const decisive = votes.find(({ subject }) => subject === decided)
    if (decisive === undefined)
      throw refusal('votes', `must be those of ${quorum} validators for one result.`)
    return decisive.vote as ExecutionVote
  }

  async #takeFinality(value: unknown): Promise<RoundCounts> {
    const [one] = await this.#checkFinality([value])
    const { vote } = this.#keepValid(one!)
    const { counts, quorum } = this.#book.settle(vote.round_id)
    return this.#answer(vote.round_id, counts, quorum)
  }

  async #checkFinality(votes: readonly unknown[]): Promise<readonly CheckedValidatorVote[]> {
    const { background, profile } = this.#parts
    const validators = await this.#allValidators(votes)
    const found = await background.run('checkFinalityVotes', profile, votes, validators)
    const checked: CheckedValidatorVote[] = []
    for (const one of found) {
      const reason =
        one.status === 'valid'
          ? (unlikely(one.checked) ?? (await this.#findOutsider(one.checked.vote as FinalityVote)))
          : null
      checked.push(reason === null ? one : { status: 'invalid', reason })
    }
    return checked
  }

  /**
   * Keys of every generation: only what one of them signed has this node ask for the set of its epoch. A key outside
   * them may be one of a generation that was made since the hub was asked.
   */
  async #allValidators(votes: readonly unknown[]): Promise<readonly string[]> {
    const { generations, generationFollower } = this.#parts
    const isKnown = (vote: unknown) => isObject(vote) && generations.keys.includes(String(vote.public_key))
    if (!votes.every(isKnown)) await generationFollower?.ask()
    if (generations.newest === null) throw new NotYet('this node knows no generation of validators yet')
    return generations.keys
  }

  /** Why a vote is by none of the validators of its epoch; null if it is. @throws {@link NotYet} */
  async #findOutsider({ public_key, finality }: FinalityVote): Promise<string | null> {
    try {
      const { generation, keys } = await this.#generationOf(finality)
      return keys.includes(public_key)
        ? null
        : `its key is not in generation ${generation} of the validators, to which epoch ${finality.epoch} belongs`
    } catch (error) {
      if (error instanceof Refusal) return `of its set, ${error.message}`
      throw error
    }
  }

  /** @throws {@link Refusal} for a record whose set is not that of its epoch; {@link NotYet} */
  async #generationOf({ project_id: projectId, epoch, set_hash: setHash }: FinalityRecord) {
    const { sets } = this.#parts.store
    const set = { projectId, epoch, setHash }
    if (sets.epochSecs(set) === null) await this.#hub.storeSet(set)
    const epochSecs = sets.epochSecs(set)
    if (epochSecs === null) throw refusal('set_hash', 'must be that of the set of the epoch.', 'unknown_set')
    return generationOf(this.#parts, { epoch, epochSecs })
  }

  async #takeExecution(value: unknown): Promise<RoundCounts> {
    const { background, profile, generations } = this.#parts
    const validators = await this.#allValidators([value])
    const one = await background.run('checkExecutionVote', profile, value, validators)
    if (one.status === 'valid' && one.checked.vote.kind === 'execution') {
      const { round, public_key } = one.checked.vote
      const generation = generations.at(round.issued_at)
      if (!generation?.keys.includes(public_key))
        throw noVote(
          `its key is not in generation ${generation?.generation} of the validators, which was in force when the round was issued`,
        )
    }
    const { vote } = this.#keepValid(one)
    const { counts, quorum } = this.#book.settleDirect(vote.round_id)
    return this.#answer(vote.round_id, counts, quorum)
  }

  async #takeTask(value: unknown): Promise<RoundCounts> {
    const { background, profile, paramsSchedule, store } = this.#parts
    if (!isTaskVote(value)) throw noVote('it does not have exactly the members of a task vote')
    const { project_id: projectId, epoch, set_hash: setHash, consensus_hash } = value.task
    const consensus = await this.#hub.rules(projectId, consensus_hash)
    await this.#hub.storeSet({ projectId, epoch, setHash })
    const params = paramsOfEpoch(paramsSchedule, epoch, consensus.work.epoch_secs)
    const context = { file: store.file, setHash, profile, params, consensus }
    const one = await background.runReading(store.sets.bytes(setHash), 'checkTaskVote', value, context)
    if (one.status === 'invalid') throw noVote(one.reason)
    const { vote, member, quorum } = one
    this.#keepOrRefuse({ vote, subject: vote.receipt_hash })
    const votes = store.roundVotes.ofRound(vote.round_id, 'task').map((kept) => kept.vote)
    this.#book.keepEvidence({ task: vote.task, members: [member], votes, final: null })
    return this.#answer(vote.round_id, countReceipts(votes), quorum)
  }

  #keepValid(one: CheckedValidatorVote): CheckedVote {
    if (one.status === 'invalid') throw noVote(one.reason)
    this.#keepOrRefuse(one.checked)
    return one.checked
  }

  #keepOrRefuse(checked: CheckedVote): void {
    if (this.#keep(checked) === 'unheard')
      throw new NotYet('the key of this vote has told of too many rounds that nobody else knows')
  }

  /** A round that this node does not know may be made up, so each key may tell of so many alone. */
  #keep(checked: CheckedVote): ReturnType<ServeStore['roundVotes']['keep']> | 'unheard' {
    const { store, clock, log } = this.#parts
    const { vote } = checked
    const kept = store.transaction(() => {
      const place = { roundId: vote.round_id, ...placeOf(checked) }
      return store.rounds.hear(place, vote.public_key, clock.now())
        ? store.roundVotes.keep(checked, clock.now())
        : 'unheard'
    })
    if (kept === 'conflict')
      log.warn('a node voted twice in one round', {
        round_id: vote.round_id,
        kind: vote.kind,
        node_key: vote.public_key,
      })
    return kept
  }

  #answer(roundId: string, counts: RoundCounts['counts'], quorum: number): RoundCounts {
    const { state } = this.#parts.store.rounds.find(roundId)!
    return { round_id: roundId, state, counts, quorum }
  }
}

const isTakenKind = (value: unknown): value is TakenKind => (takenKinds as readonly unknown[]).includes(value)

const noVote = (reason: string) => refusal('', `This is not a valid vote: ${reason}.`, 'invalid_vote')

/** Why no validator means it that signed this record; null for any that may be meant. */
function unlikely({ vote }: CheckedVote): string | null {
  if (vote.kind !== 'finality') return null
  if (!vote.round_id.startsWith('task:')) return 'its round is not the round of a task'
  return vote.finality.voters.length > votersMax ? `it has more than ${votersMax} voters` : null
}

function placeOf({ vote }: CheckedVote): { projectId: string | null; epoch: number | null } {
  if (vote.kind === 'execution') return { projectId: null, epoch: null }
  const { project_id: projectId, epoch } = vote.kind === 'task' ? vote.task : vote.finality
  return { projectId, epoch }
}

/** Members that voted once, by receipt. */
function countReceipts(
  votes: readonly { readonly public_key: string; readonly receipt_hash: string }[],
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const own of Map.groupBy(votes, (vote) => vote.public_key).values())
    if (own.length === 1) counts[own[0]!.receipt_hash] = (counts[own[0]!.receipt_hash] ?? 0) + 1
  return counts
}
