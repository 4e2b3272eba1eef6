import { isTaskVote, type RoundState } from '../../../../protocol/consensus/index.ts'
import { isObject } from '../../../../protocol/encoding/index.ts'
import type { ServeNode } from '../node.ts'
import type { CheckedVote } from '../store/round-votes.ts'
import type { HubFacts } from './hub-facts.ts'
import { NotYet, refusal } from './refusal.ts'
import type { RoundBook } from './round-book.ts'
import type { CheckedValidatorVote } from './tasks.ts'

/** What the votes of a round say so far. */
export interface RoundCounts {
  readonly round_id: string
  readonly state: RoundState
  /** Votes by what they are for: the hash of a receipt, or of a finality record. */
  readonly counts: Readonly<Record<string, number>>
  readonly quorum: number
}

/** Kinds of votes that a node takes of others. */
export const takenKinds = ['execution', 'task', 'finality'] as const
type TakenKind = (typeof takenKinds)[number]

/** More voters than any committee has seats. */
const votersMax = 64
/** Rounds that may be open at once; whoever makes more up is no validator to believe. */
const openMax = 100_000

/** Takes the votes of other nodes: each is verified, and counts once. */
export class RoundVotes {
  readonly #node: ServeNode
  readonly #hub: HubFacts
  readonly #book: RoundBook

  constructor(node: ServeNode, hub: HubFacts, book: RoundBook) {
    this.#node = node
    this.#hub = hub
    this.#book = book
  }

  /** @throws {@link Refusal} for what is no vote of its round, {@link NotYet}. */
  take(value: unknown): Promise<RoundCounts> {
    const kind = isObject(value) ? value.kind : undefined
    if (!isTakenKind(kind)) throw refusal('kind', `must be one of ${takenKinds.join(', ')}.`)
    const take = { execution: this.#takeExecution, task: this.#takeTask, finality: this.#takeFinality }
    return take[kind].call(this, value)
  }

  /** Takes finality votes that others keep. What is none counts for nothing. @returns How many were new. */
  async takeFinalityVotes(votes: readonly unknown[]): Promise<number> {
    const valid = (await this.#checkFinality(votes)).flatMap((one) =>
      one.status === 'valid' ? [one.checked] : [],
    )
    const fresh = valid.filter((checked) => this.#keep(checked) !== 'known')
    for (const roundId of new Set(fresh.map(({ vote }) => vote.round_id))) this.#book.settle(roundId)
    return fresh.length
  }

  async #takeFinality(value: unknown): Promise<RoundCounts> {
    const [one] = await this.#checkFinality([value])
    const { vote } = this.#keepValid(one!)
    const { counts, quorum } = this.#book.settle(vote.round_id)
    return this.#answer(vote.round_id, counts, quorum)
  }

  async #checkFinality(votes: readonly unknown[]): Promise<readonly CheckedValidatorVote[]> {
    const { background, profile, store } = this.#node
    const validators = store.senders.validators()
    const found = await background.run('checkFinalityVotes', { profile, votes, validators })
    return found.map((one) => {
      const reason = one.status === 'valid' ? unlikely(one.checked) : null
      return reason === null ? one : { status: 'invalid', reason }
    })
  }

  async #takeExecution(value: unknown): Promise<RoundCounts> {
    const { background, profile, store } = this.#node
    const validators = store.senders.validators()
    const one = await background.run('checkExecutionVote', { profile, vote: value, validators })
    const { vote } = this.#keepValid(one)
    const { counts, quorum } = this.#book.settleDirect(vote.round_id)
    return this.#answer(vote.round_id, counts, quorum)
  }

  async #takeTask(value: unknown): Promise<RoundCounts> {
    const { background, profile, params, store } = this.#node
    if (!isTaskVote(value)) throw noVote('it has not exactly the members of a task vote')
    const { project_id: projectId, epoch, set_hash: setHash, consensus_hash } = value.task
    const consensus = await this.#hub.rules(projectId, consensus_hash)
    await this.#hub.fetchSet({ projectId, epoch, setHash })
    const context = { file: store.file, setHash, profile, params: params(), consensus }
    const one = await background.run('checkTaskVote', { ...context, vote: value })
    if (one.status === 'invalid') throw noVote(one.reason)
    const { vote, member, quorum } = one
    this.#keep({ vote, subject: vote.receipt_hash })
    const votes = store.roundVotes.ofRound(vote.round_id, 'task').map((kept) => kept.vote)
    this.#book.keepEvidence({ task: vote.task, members: [member], votes, final: null })
    return this.#answer(vote.round_id, countReceipts(votes), quorum)
  }

  #keepValid(one: CheckedValidatorVote): CheckedVote {
    if (one.status === 'invalid') throw noVote(one.reason)
    this.#keep(one.checked)
    return one.checked
  }

  #keep(checked: CheckedVote): ReturnType<ServeNode['store']['roundVotes']['keep']> {
    const { store, clock, log } = this.#node
    const { vote } = checked
    const { known, final } = store.rounds.count()
    if (known - final > openMax) throw new NotYet('this node has too many open rounds')
    const kept = store.transaction(() => {
      store.rounds.see({ roundId: vote.round_id, ...placeOf(checked) }, clock.now())
      return store.roundVotes.keep(checked, clock.now())
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
    const { state } = this.#node.store.rounds.find(roundId)!
    return { round_id: roundId, state, counts, quorum }
  }
}

const isTakenKind = (value: unknown): value is TakenKind => (takenKinds as readonly unknown[]).includes(value)

const noVote = (reason: string) => refusal('', `This is no valid vote: ${reason}.`, 'invalid_vote')

/** Why no validator means it that signed this record; null for any that may be meant. */
function unlikely({ vote }: CheckedVote): string | null {
  if (vote.kind !== 'finality') return null
  if (!vote.round_id.startsWith('task:')) return 'its round is none of a task'
  return vote.finality.voters.length > votersMax ? `it has more than ${votersMax} voters` : null
}

/** Where a round belongs; a direct round to no project. */
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
