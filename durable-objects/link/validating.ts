import {
  type AttestedFrame,
  Batch,
  batchBytesMax,
  type DecidedFrame,
  frameRoundsMax,
  frameSetsMax,
  frameVotesMax,
  writeBatch,
} from '../../protocol/link/index.ts'
import type { Connection } from './connection.ts'
import type { FrameBudget } from './frame-budget.ts'
import type { NodeLinkConfig } from './types.ts'

/** Requests of rounds and votes are collected for this long. */
export const collectMs = 20
/** Sets of many projects are due within minutes, and no one of them is in a hurry. */
const collectSetsMs = 250
/** Most bytes that are sent to a validator while nothing is heard of it: what one that hangs does not read stays in memory. */
const unheardBytesMax = 4 * 1024 * 1024
/** How much of it sets may take, so that rounds find room. */
const unheardSetsMax = 1024 * 1024
const frameMembersBytes = 64

/**
 * The work of a link for a validator: it sends requests of rounds, finality votes and committee sets, many in a frame, and passes the
 * answers on to rounds and projects. It stores nothing.
 */
export class Validating {
  readonly #connection: Connection
  readonly #budget: FrameBudget
  readonly #config: Pick<NodeLinkConfig, 'limits' | 'round' | 'project'>
  readonly #rounds = new Batch(frameRoundsMax, collectMs, (texts) => this.#send('decide', texts))
  readonly #votes = new Batch(frameVotesMax, collectMs, (texts) => this.#send('finality', texts))
  readonly #sets = new Batch(frameSetsMax, collectSetsMs, (texts) => this.#send('attest', texts))
  #unheardBytes = 0

  constructor(
    connection: Connection,
    budget: FrameBudget,
    config: Pick<NodeLinkConfig, 'limits' | 'round' | 'project'>,
  ) {
    this.#connection = connection
    this.#budget = budget
    this.#config = config
  }

  /** @param request - A round to decide, as JSON. @returns Whether it is sent. Each that is makes room for a frame with its answer. */
  decide(request: string): boolean {
    if (!this.#takes(request.length)) return false
    this.#budget.giveBack()
    this.#rounds.add(request)
    return true
  }

  /** @param votes - Finality votes, each as JSON. @returns Whether they are sent. */
  tellFinality(votes: readonly string[]): boolean {
    if (!this.#takes(votes.reduce((bytes, vote) => bytes + vote.length, 0))) return false
    for (const vote of votes) this.#votes.add(vote)
    return true
  }

  /** @param set - A set to attest, as JSON. @returns Whether it is sent; a large one is brought by HTTP, piece by piece. */
  attest(set: string): boolean {
    if (set.length > batchBytesMax || !this.#takes(set.length, unheardSetsMax)) return false
    this.#budget.giveBack()
    this.#sets.add(set)
    return true
  }

  heard(): void {
    this.#unheardBytes = 0
  }

  /** Hands each answer to its round. @returns What is wrong with one of them; null if nothing is. */
  async decided({ answers }: DecidedFrame): Promise<string | null> {
    const { nodeKey } = this.#connection
    return firstProblem(answers, (answer) => this.#config.round(answer.round_id).decided(nodeKey, answer))
  }

  /** The same of sets, for their projects. */
  async attested({ answers }: AttestedFrame): Promise<string | null> {
    const { nodeKey } = this.#connection
    return firstProblem(answers, (answer) =>
      this.#config.project(answer.project_id).attested(nodeKey, answer),
    )
  }

  #takes(bytes: number, most = unheardBytesMax): boolean {
    if (bytes + frameMembersBytes > this.#config.limits.relay_max_frame_bytes) return false
    if (this.#unheardBytes + bytes > most || !this.#connection.isListening()) return false
    this.#unheardBytes += bytes
    return true
  }

  #send(type: 'decide' | 'finality' | 'attest', texts: readonly string[]): void {
    this.#connection.sendText(writeBatch(type, texts))
  }
}

/** The first problem of an answer. A round or project that cannot be told asks again. */
async function firstProblem<T>(
  answers: readonly T[],
  tell: (answer: T) => Promise<string | null>,
): Promise<string | null> {
  const problems = await Promise.all(
    answers.map((answer) =>
      tell(answer).catch((error) => {
        console.error('an answer of a validator could not be handed on', error)
        return null
      }),
    ),
  )
  return problems.find((problem) => problem !== null) ?? null
}
