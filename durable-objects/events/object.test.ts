import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventFeedObject, type Follower } from './object.ts'
import { type FeedPage, type LogRow, pageOfRows } from './rows.ts'
import { keysOf, type LoggedEvent } from './types.ts'

// The object looks at the log when a test lets time pass, or wakes it.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const rowOf = (id: number, type: LoggedEvent['type']): LogRow => {
  const event: LoggedEvent = { type, created_at: 7 }
  return { id, keys: keysOf([event]), body: JSON.stringify(event) }
}
const position = (row: number) => ({ row, offset: 0 })

/** A feed whose log is an array, and a count of its reads. */
class Feed {
  log: LogRow[] = []
  reads = 0
  /** Reads for a single follower end after this. */
  gate: Promise<void> = Promise.resolve()
  readonly #waits = Promise.withResolvers<void>()
  readonly object: EventFeedObject

  constructor(ctx: DurableObjectState) {
    this.object = new EventFeedObject(ctx, env, {
      read: async ({ row }) => {
        this.reads += 1
        const newest = this.log.at(-1)?.id ?? 0
        const rows = this.log.filter(({ id }) => id >= row).slice(0, 32)
        const end = row > newest ? newest + 1 : (rows.at(-1)?.id ?? newest) + 1
        return { rows, end: position(end), newest }
      },
      readFor: async (follower) => {
        await this.gate
        return pageOfRows(this.log, { ...follower, end: position((this.log.at(-1)?.id ?? 0) + 1) })
      },
      noteFollowed: async () => this.#waits.resolve(),
    })
  }

  add(count: number, type: LoggedEvent['type'] = 'project.listed'): void {
    for (let added = 0; added < count; added++) this.log.push(rowOf((this.log.at(-1)?.id ?? 0) + 1, type))
  }

  next(row: number, waitMs = 0, more: Partial<Follower> = {}): Promise<FeedPage | null> {
    const follower = { caller: 'one', filter: {}, from: position(row), limit: 5, ...more }
    return this.object.next(follower, waitMs)
  }

  /** The answer of a follower, the first one who waits. */
  async waiting(row: number, more: Partial<Follower> = {}): Promise<{ page: Promise<FeedPage | null> }> {
    const page = this.next(row, 30_000, more)
    await this.#waits.promise
    return { page }
  }
}

const withFeed = (name: string, use: (feed: Feed) => Promise<void>) =>
  runInDurableObject(env.EVENT_FEED.getByName(name), (_, state) => use(new Feed(state)))

test('a first caller that is far behind delays no other caller, and costs one read', () =>
  withFeed('one behind', async (feed) => {
    feed.add(2_000)
    expect((await feed.next(1))?.events).toHaveLength(5)
    const { page } = await feed.waiting(2_001)
    expect(feed.reads).toBe(1)
    feed.add(1)
    await feed.object.wake()
    expect(await page).toMatchObject({ events: [{ id: '2001-0' }] })
    expect(feed.reads).toBe(2)
  }))

test('if more is written than one look reads, waiting callers continue from where the look ended', () =>
  withFeed('many at once', async (feed) => {
    const filter = { type: 'project.paused' } as const
    const { page } = await feed.waiting(1, { filter })
    feed.add(1_000)
    feed.add(1, 'project.paused')
    feed.add(1_000)
    await feed.object.wake()
    expect(await page).toEqual({ events: [], next: position(641) })
    expect(await feed.next(641, 0, { filter })).toMatchObject({ events: [{ id: '1001-0' }] })
    feed.add(1)
    vi.advanceTimersByTime(1_000)
    expect(await feed.next(2_002)).toMatchObject({ events: [{ id: '2002-0' }] })
  }))

test('readers whose position is beyond the end of a restored log continue from its end', () =>
  withFeed('restored', async (feed) => {
    feed.add(1_000)
    const { page } = await feed.waiting(1_001)
    feed.log = feed.log.slice(0, 10)
    await feed.object.wake()
    expect(await page).toEqual({ events: [], next: position(11) })
    expect(await feed.next(1_001)).toEqual({ events: [], next: position(11) })
    feed.add(1)
    vi.advanceTimersByTime(1_000)
    expect(await feed.next(11)).toMatchObject({ events: [{ id: '11-0' }] })
  }))

test('calls that are reading count towards the limit like calls that wait', () =>
  withFeed('many behind', async (feed) => {
    feed.add(100)
    const { promise, resolve } = Promise.withResolvers<void>()
    feed.gate = promise
    const reading = Array.from({ length: 10 }, () => feed.next(1))
    expect(await feed.next(1)).toBeNull()
    expect(await feed.next(101, 0, { caller: 'another' })).toMatchObject({ events: [] })
    resolve()
    expect((await Promise.all(reading)).map((page) => page?.events.length)).toEqual(Array(10).fill(5))
    expect(await feed.next(101)).toMatchObject({ events: [] })
  }))

test('five thousand callers wait in one object, and one read of the log answers all of them', () =>
  withFeed('many', async (feed) => {
    feed.add(1)
    const { page } = await feed.waiting(2, { caller: 'first' })
    const others = Array.from({ length: 4_999 }, (_, i) => feed.next(2, 30_000, { caller: `${i}` }))
    expect(await feed.next(2, 30_000, { caller: 'too many' })).toBeNull()
    const readsBefore = feed.reads
    feed.add(1)
    await feed.object.wake()
    const pages = await Promise.all([page, ...others])
    expect(pages.filter((page) => page?.events.length === 1)).toHaveLength(5_000)
    expect(feed.reads).toBe(readsBefore + 1)
    expect(await feed.next(2, 0, { caller: 'too many' })).toMatchObject({ events: [{}] })
  }))
