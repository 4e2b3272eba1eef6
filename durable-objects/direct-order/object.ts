import { DurableObject } from 'cloudflare:workers'
import { deriveDirectRoundId } from '../../protocol/identity/index.ts'
import { type CopiedRows, type CopyPage, dumpPage, loadRows } from '../object-copy.ts'
import type { DirectOutcome, DirectRequest } from '../round/direct.ts'
import { directOrderTables, StateBook } from './state-book.ts'

export interface DirectOrderConfig {
  /** Has every validator run something, and writes into the book what a quorum gave. */
  run(request: DirectRequest, book: StateBook, answerMsMax: number): Promise<DirectOutcome>
}

/** A caller waits at most 30 s, and the votes still have to be stored in that time. */
const answerMsMax = 27_000
/** With less time than this no validator is asked. */
const answerMsMin = 5_000
/** More would wait in vain, but for the first of another address, whose turn comes soon. */
const waitingMax = 64

/**
 * The one order of direct rounds of modules that store something or call others: `env.DIRECT_ORDER.getByName('direct')`. A validator
 * runs one at a time, so no time is lost where they follow each other, and which modules a run looks at is known only after it. A round is decided when the quorum's result is stored.
 */
export class DirectOrderObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: DirectOrderConfig
  readonly #book: StateBook
  /** By client address, those that wait to begin. */
  readonly #turns = new Map<string, (() => void)[]>()
  #waiting = 0

  constructor(ctx: DurableObjectState, env: Env, config: DirectOrderConfig) {
    super(ctx, env)
    this.#config = config
    this.#book = new StateBook(ctx.storage)
  }

  /** Runs a direct round, which is over when this returns. @param from - The client address, of which others are not held up. */
  async execute(request: DirectRequest, from = ''): Promise<DirectOutcome> {
    const isAnother = !this.#turns.has(from) && this.#turns.size < waitingMax
    if (this.#waiting >= waitingMax && !isAnother) return refused(request, 'busy')
    const startedAt = performance.now()
    this.#waiting += 1
    if (this.#waiting > 1) await this.#turnOf(from)
    try {
      return await this.#run(request, answerMsMax - (performance.now() - startedAt))
    } finally {
      this.#waiting -= 1
      this.#next()
    }
  }

  async #turnOf(from: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#turns.set(from, [...(this.#turns.get(from) ?? []), resolve])
    await promise
  }

  /** Lets the first one of the next address begin, which is last in turn then. */
  #next(): void {
    for (const [from, [begin, ...others]] of this.#turns) {
      this.#turns.delete(from)
      if (others.length > 0) this.#turns.set(from, others)
      return begin?.()
    }
  }

  /** The next page of a backup. */
  async dump(cursor: string | null): Promise<CopyPage> {
    return dumpPage(this.ctx.storage, directOrderTables, cursor)
  }

  /** Adds rows of a backup. False if this object is in use. */
  async load(backup: string, rows: CopiedRows): Promise<boolean> {
    return loadRows(this.ctx.storage, directOrderTables, backup, rows)
  }

  async #run(request: DirectRequest, msLeft: number): Promise<DirectOutcome> {
    if (msLeft < answerMsMin) return refused(request, 'busy')
    const named = request.isNamed ? this.#name(request) : request
    return named === null ? refused(request, 'other_request') : this.#config.run(named, this.#book, msLeft)
  }

  /** A round that was decided is asked for again: validators give what they gave. Null for another request of that name. */
  #name(request: DirectRequest): DirectRequest | null {
    const { nonce, issued_at, ...run } = request.round
    const text = JSON.stringify(run)
    const known = this.#book.namedTry(nonce)
    if (known !== null && known.request !== text) return null
    if (known?.state === 'decided') {
      const round = { ...request.round, issued_at: known.issuedAt }
      return { ...request, round, roundId: deriveDirectRoundId(round) }
    }
    this.#book.beginNamed(nonce, text, issued_at)
    return request
  }
}

const refused = ({ roundId }: DirectRequest, refusal: DirectOutcome['refusal']): DirectOutcome => ({
  roundId,
  result: null,
  votes: 0,
  quorum: 0,
  ...(refusal && { refusal }),
})
