import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { hubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { parseHubUrl } from './hub-url.ts'
import { dropForeignSenders, refreshSenders, type SenderSource } from './validators.ts'

/** A heartbeat later, a node that joins or leaves the validators is known here. */
const dueMs = 50_000
/** Strangers may call as often as they like; the hub is not asked as often. */
const pauseMs = 5_000

/** Keeps whom a node takes calls from as its hub has them. */
export class SenderRefresh {
  readonly #source: SenderSource
  readonly #log: Log
  readonly #stopping = new AbortController()
  #askedAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | null = null
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
    const isDue = performance.now() - this.#answeredAt >= dueMs
    if (isDue && performance.now() - this.#askedAt >= pauseMs) await this.soon()
  }

  /**
   * Asks the hub because something shows that its validators are not those known here: at once, or a few seconds after it
   * was asked last.
   *
   * @returns Whether others are known now.
   */
  soon(): Promise<boolean> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #ask(): Promise<boolean> {
    const waitMs = this.#askedAt + pauseMs - performance.now()
    if (waitMs > 0)
      await sleep(waitMs, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {})
    if (this.#stopping.signal.aborted) return false
    this.#askedAt = performance.now()
    try {
      const { isChanged, problems } = await refreshSenders(this.#source)
      this.#answeredAt = performance.now()
      this.#tell(problems)
      return isChanged
    } catch (error) {
      // Whoever asks next tries again: the next heartbeat, if nobody does before.
      if (!(error instanceof HubError && error.isPassing)) this.#tell([(error as Error).message])
      return false
    }
  }

  /** Problems are told once, for as long as they are the same. */
  #tell(problems: readonly string[]): void {
    const text = problems.join('\n')
    if (text !== this.#told) for (const problem of problems) this.#log.warn(problem)
    this.#told = text
  }
}
