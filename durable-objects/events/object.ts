import { DurableObject } from 'cloudflare:workers'
import { type FeedPage, type LogRow, pageOfRows } from './rows.ts'
import type { Filter, Position } from './types.ts'

export interface Follower {
  /** Tells callers apart. */
  caller: string
  filter: Filter
  /** The position up to which it has the log. */
  from: Position
  limit: number
}

export interface EventFeedConfig {
  /** Rows of the log from a position on, with the position after them and the newest row that exists. */
  read(from: Position): Promise<{ rows: LogRow[]; end: Position; newest: number }>
  /** The same for one follower. */
  readFor(follower: Follower): Promise<FeedPage>
  /** Notes that somebody waits, so that writers wake this object. */
  noteFollowed(): Promise<void>
}

/** Calls at once of one caller, and of all: those that wait, and those that read. */
const perCallerMax = 10
const callsMax = 5_000
/** How long a row is seen by nobody at most, where no writer woke the object. */
const lookMs = 1_000
/** How often it is noted that somebody waits. */
const noteMs = 30_000
/** Rows that are kept in memory for followers who are a little behind. */
const heldRowsMax = 256
const heldCharactersMax = 4_000_000
/** Reads of one look, so that a long log is not read here. */
const readsMax = 20
/** No log has this row: reading from it finds none, and says which one is the newest. */
const beyondAll = Number.MAX_SAFE_INTEGER

const logged = (error: unknown): void => console.error('the log of events could not be read', error)

interface Waiting {
  follower: Follower
  resolve: (page: FeedPage) => void
}

/**
 * Followers of the log of events that wait. One reading of the new rows serves all of them. It stores nothing: who waits asks again, from
 * where it was, when the object or its answer is gone.
 */
export class EventFeedObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: EventFeedConfig
  /** How many calls of each caller are here, and of all together. */
  readonly #callsOf = new Map<string, number>()
  #calls = 0
  readonly #waiting = new Set<Waiting>()
  /** The rows from `#start` up to, not with, `#end`; none before the first call. */
  #held: LogRow[] = []
  #start = 0
  #end: number | null = null
  #lookedAtMs = 0
  #notedAtMs = 0
  #currentLook: Promise<void> | null = null
  #nextLook: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(ctx: DurableObjectState, env: Env, config: EventFeedConfig) {
    super(ctx, env)
    this.#config = config
  }

  /** The next events of a follower, or none after `waitMs`. Null if its caller, or all callers together, have too many open calls. */
  async next(follower: Follower, waitMs: number): Promise<FeedPage | null> {
    const { caller } = follower
    if (this.#calls >= callsMax || this.#countOf(caller) >= perCallerMax) return null
    this.#count(caller, 1)
    try {
      return await this.#answer(follower, waitMs)
    } finally {
      this.#count(caller, -1)
    }
  }

  async #answer(follower: Follower, waitMs: number): Promise<FeedPage> {
    if (this.#end === null || Date.now() >= this.#lookedAtMs + lookMs || follower.from.row > this.#end)
      await this.#look()
    let { from } = follower
    if (from.row < this.#start) {
      const page = await this.#config.readFor(follower)
      if (page.events.length > 0 || page.next.row < this.#start) return page
      from = page.next
    }
    const page = this.#pageFor({ ...follower, from })
    if (page.events.length > 0 || waitMs === 0) return page
    return this.#wait({ ...follower, from: page.next }, waitMs)
  }

  /** There are new rows. The writer does not wait until they are read. */
  async wake(): Promise<void> {
    if (this.#waiting.size > 0) this.#look().catch(logged)
  }

  #countOf(caller: string): number {
    return this.#callsOf.get(caller) ?? 0
  }

  #count(caller: string, change: 1 | -1): void {
    const count = this.#countOf(caller) + change
    if (count === 0) this.#callsOf.delete(caller)
    else this.#callsOf.set(caller, count)
    this.#calls += change
  }

  #pageFor({ from, filter, limit }: Follower): FeedPage {
    const end = { row: this.#end ?? 0, offset: 0 }
    // A follower may have a part of the row that is read next.
    return pageOfRows(this.#held, { from, end: from.row === end.row ? from : end, filter, limit })
  }

  async #wait(follower: Follower, waitMs: number): Promise<FeedPage> {
    const { promise, resolve } = Promise.withResolvers<FeedPage>()
    const waiting = { follower, resolve }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => resolve({ events: [], next: waiting.follower.from }), waitMs)
    this.#keepLooking()
    const page = await promise
    clearTimeout(timer)
    this.#waiting.delete(waiting)
    return page
  }

  #keepLooking(): void {
    if (Date.now() >= this.#notedAtMs + noteMs) {
      this.#notedAtMs = Date.now()
      this.#config.noteFollowed().catch((error) => console.error('followers could not be noted', error))
    }
    this.#timer ??= setTimeout(async () => {
      await this.#look().catch(logged)
      this.#timer = null
      if (this.#waiting.size > 0) this.#keepLooking()
    }, lookMs)
  }

  /** Reads the rows that are new. Calls while another one reads share the next reading: what came meanwhile may be missing in that one. */
  #look(): Promise<void> {
    this.#nextLook ??= (async () => {
      await this.#currentLook?.catch(() => {})
      this.#currentLook = this.#nextLook
      this.#nextLook = null
      await this.#readNew()
    })()
    return this.#nextLook
  }

  async #readNew(): Promise<void> {
    let after = 0
    for (let reads = 0; reads < readsMax; reads++) {
      const from = this.#end ?? beyondAll
      const { rows, end, newest } = await this.#config.read({ row: from, offset: 0 })
      after = newest + 1
      // The first look, or the database was restored from a copy: rows of these numbers will be others.
      if (after < from) this.#leapTo(after)
      else this.#hold(rows, this.#start, end.row)
      this.#lookedAtMs = Date.now()
      if (rows.length > 0) this.#serve()
      if (end.row > newest || end.row === from) return
    }
    this.#leapTo(after)
  }

  /** Continues from a row. A follower that waits before it reads the rows between itself; a position after it is of a log that is lost. */
  #leapTo(row: number): void {
    for (const { follower, resolve } of this.#waiting)
      resolve({ events: [], next: follower.from.row > row ? { row, offset: 0 } : follower.from })
    this.#held = []
    this.#start = this.#end = row
  }

  #hold(rows: readonly LogRow[], start: number, end: number): void {
    const all = start === this.#start ? [...this.#held, ...rows] : [...rows]
    let characters = all.reduce((sum, { body }) => sum + body.length, 0)
    let dropped = 0
    while (all.length - dropped > heldRowsMax || characters > heldCharactersMax)
      characters -= all[dropped++]?.body.length ?? 0
    this.#held = all.slice(dropped)
    this.#start = dropped === 0 ? start : (this.#held[0]?.id ?? end)
    this.#end = end
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      const page = this.#pageFor(waiting.follower)
      waiting.follower = { ...waiting.follower, from: page.next }
      if (page.events.length > 0) waiting.resolve(page)
    }
  }
}
