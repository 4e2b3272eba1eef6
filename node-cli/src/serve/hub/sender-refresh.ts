import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { hubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { parseHubUrl } from './hub-url.ts'
import { dropForeignSenders, refreshSenders, type SenderSource } from './validators.ts'

/** A heartbeat later, a node that joins or leaves the validators is known here, whatever happens. */
const dueMs = 50_000
/** Strangers may call as often as they like; the hub is not asked as often. */
const shortestPauseMs = 5_000

/** Keeps whom a node takes calls from as its hub has them. */
export class SenderRefresh {
  readonly #source: SenderSource
  readonly #log: Log
  readonly #stopping = new AbortController()
  #asking: Promise<void> | null = null
  #answeredAt = Number.NEGATIVE_INFINITY
  #mayAskAt = Number.NEGATIVE_INFINITY
  #pauseMs = shortestPauseMs
  #told = ''

  constructor(hubUrl: string, kept: Omit<SenderSource, 'client'>, log: Log) {
    this.#source = { ...kept, client: hubClient(parseHubUrl(hubUrl), this.#stopping.signal) }
    this.#log = log
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Forgets the senders of another network: whoever ran there says nothing here. */
  dropForeign(): void {
    dropForeignSenders(this.#source)
  }

  /** Asks the hub when it has not answered for a while. */
  async whenDue(): Promise<void> {
    const now = performance.now()
    if (now - this.#answeredAt < dueMs || now < this.#mayAskAt) return
    this.#pauseMs = shortestPauseMs
    await this.soon()
  }

  /**
   * Asks the hub because something shows that its validators are not those known here: at once, or a pause after it was asked
   * last. The pause grows while nothing comes of it. Whoever calls meanwhile shares the one question.
   */
  soon(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    const waitMs = this.#mayAskAt - performance.now()
    if (waitMs > 0)
      await sleep(waitMs, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {})
    if (this.#stopping.signal.aborted) return
    let wishedMs = 0
    let isChanged = false
    try {
      const refreshed = await refreshSenders(this.#source)
      isChanged = refreshed.isChanged
      this.#answeredAt = performance.now()
      this.#tell(refreshed.problems)
    } catch (error) {
      if (error instanceof HubError) wishedMs = 1000 * (error.retryAfterSeconds ?? 0)
      // Whoever asks next tries again: the next heartbeat, if nobody does before.
      if (!(error instanceof HubError && error.isPassing)) this.#tell([(error as Error).message])
    }
    this.#pauseMs = isChanged ? shortestPauseMs : Math.min(2 * this.#pauseMs, dueMs)
    this.#mayAskAt = performance.now() + Math.max(this.#pauseMs, Math.min(wishedMs, dueMs))
  }

  /** Problems are told once, for as long as they are the same. */
  #tell(problems: readonly string[]): void {
    const text = problems.join('\n')
    if (text !== this.#told) for (const problem of problems) this.#log.warn(problem)
    this.#told = text
  }
}
