import { setTimeout as delay } from 'node:timers/promises'
import { createHub } from '../../sdk/index.ts'
import { queryThrough } from '../../testing/driver.ts'
import { startTestHub } from '../../testing/hub.ts'
import { ownWorkerds } from '../../testing/workerd.ts'
import { type Draws, draws } from '../harness/draws.ts'
import type { LongKind } from '../harness/kind.ts'
import { memory } from '../network/process-memory.ts'
import { bundleHolder, holdIdle, idleType } from './idle.ts'

/** The events that one follower received, and the cuts of its connections. */
interface Seen {
  /** The number in the event with each id. */
  readonly ids: Map<string, number>
  last: number
  events: number
  cuts: number
}

/** A burst, then a pause: readers are behind, and then they wait. */
const burstMax = 40
const pauseMsMax = 1_500
/** A connection lives for this long at most, and is cut at any byte. */
const lifeMsMax = 12_000
/** How long the followers that were cut last have to catch up. */
const settleMs = 20_000

const memoryOfHub = (): number =>
  Math.round(ownWorkerds().reduce((sum, pid) => sum + memory(pid, 'VmRSS'), 0))

/** Followers of the log of events whose connections are cut at random, by stream and by long-poll. */
export const events: LongKind = {
  async run({ length: minutes, seed, options: { followers = 200, idle = 0 }, say, problem }) {
    const hub = await startTestHub(
      { RATE_LIMIT_MULTIPLIER: '1000' },
      { extraWorkers: { holder: await bundleHolder() } },
    )
    const draw = draws(seed)
    const ending = new AbortController()
    try {
      const driver = await hub.miniflare.unsafeGetDirectURL('driver')
      const before = memoryOfHub()
      // Without a place to begin at, one that is cut before its first event would begin with the newest again.
      const { next_cursor: from } = await createHub({ url: hub.origin }).call('GET /v1/events', {
        query: { type: 'project.listed' },
      })
      const all = Array.from({ length: followers }, (_, i) =>
        follow(hub.origin, i, from, draws(seed * 1_000 + i), ending.signal, problem),
      )
      await delay(5_000)
      const after = memoryOfHub()
      say(`${followers} followers; workerd ${before} MB before, ${after} MB with them`)
      const holder = await hub.miniflare.unsafeGetDirectURL('holder')
      const idlers = await holdIdle(holder, idle, { signal: ending.signal, problem })
      const withIdle = memoryOfHub()
      if (idle > 0) say(`${idle} idle followers; workerd ${withIdle} MB with them`)
      const write = (type: string, numbers: readonly number[]) =>
        queryThrough(
          driver,
          `INSERT INTO new_events (type, created_at, project_id, data)
           SELECT ?, unixepoch(), ?, json_object('number', value) FROM json_each(?)`,
          [type, `0x${'01'.repeat(32)}`, JSON.stringify(numbers)],
        )
      let written = 0
      for (const end = Date.now() + minutes * 60_000; Date.now() < end; ) {
        const numbers = Array.from({ length: 1 + draw.below(burstMax) }, () => ++written)
        await write('project.listed', numbers)
        await delay(draw.below(pauseMsMax))
      }
      if (idle > 0) await write(idleType, [1])
      const isBehind = () => all.some(({ seen }) => seen.last < written) || idlers.seen.includes(0)
      for (const end = Date.now() + settleMs; isBehind() && Date.now() < end; ) await delay(100)
      ending.abort()
      const seen = await Promise.all(all.map(({ done }) => done))
      const missing = idlers.seen.filter((count) => count !== 1).length
      if (missing > 0) problem(`${missing} of ${idle} idle followers do not have their event once`)
      for (const [i, one] of seen.entries())
        if (one.events < written || one.last !== written)
          problem(`follower ${i} has ${one.events} of ${written} events, the last ${one.last}`)
      return {
        minutes,
        followers,
        written,
        seen: seen.reduce((sum, { events: own }) => sum + own, 0),
        cuts: seen.reduce((sum, { cuts }) => sum + cuts, 0),
        idle,
        workerd_mb: { before, with_followers: after, with_idle: withIdle, at_end: memoryOfHub() },
      }
    } finally {
      ending.abort()
      await hub.stop()
    }
  },
}

/** Follows until the end. Reports a repeated event that differs under the same id, and a new event out of order. */
function follow(
  url: string,
  index: number,
  start: string,
  draw: Draws,
  signal: AbortSignal,
  problem: (text: string) => void,
) {
  const seen: Seen = { ids: new Map(), last: 0, events: 0, cuts: 0 }
  const client = createHub({ url, fetch: (request) => fetchAndCut(request, index, draw, seen) })
  const run = async () => {
    let from = start
    try {
      for await (const event of client.events.follow({ types: ['project.listed'], from, signal })) {
        from = event.cursor
        const { number } = event.data as { number: number }
        const known = seen.ids.get(event.id)
        if (known !== undefined && known !== number)
          problem(`follower ${index}: ${event.id} is ${known} and ${number}`)
        if (known !== undefined) continue
        if (number !== seen.last + 1) problem(`follower ${index}: ${number} follows ${seen.last}`)
        seen.ids.set(event.id, number)
        seen.last = number
        seen.events += 1
      }
    } catch (error) {
      if (!signal.aborted) problem(`follower ${index} ended at ${from}: ${error}`)
    }
    return seen
  }
  return { seen, done: run() }
}

/** Sends a request, and cuts its connection after a while, before or within the answer. A third polls: its streams are refused. */
async function fetchAndCut(request: Request, index: number, draw: Draws, seen: Seen): Promise<Response> {
  if (index % 3 === 0 && request.headers.get('accept') === 'text/event-stream')
    request.headers.set('accept', 'application/json')
  request.headers.set('cf-connecting-ip', `10.1.${index >> 8}.${index & 255}`)
  const cut = new AbortController()
  const timer = setTimeout(() => {
    seen.cuts += 1
    cut.abort(new TypeError('the connection was cut'))
  }, draw.below(lifeMsMax)).unref()
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, cut.signal]) })
  } catch (error) {
    clearTimeout(timer)
    throw error
  }
}
