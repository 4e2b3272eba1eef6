import type { WrittenRound } from '../../workers/stores/rounds.ts'
import type { Draws } from '../harness/draws.ts'
import { createDatabase } from './database.ts'
import type { Place } from './hub.ts'
import type { VirtualTime } from './platform/virtual-time.ts'
import type { Records } from './records.ts'

/** The parts of the world that ceilings need. */
interface Around {
  readonly time: VirtualTime
  readonly records: Records
  /** Messages of the queue that are on their way. */
  undelivered: number
}

/** Milliseconds of a trip, at least and at most, beside the time that it waits for others. */
const tripMs: Readonly<Record<Place, readonly [number, number]>> = {
  database: [4, 30],
  bucket: [10, 60],
  queue: [5, 20],
  chain: [50, 200],
}
/** As `wrangler.toml` has the queue of ended rounds. */
const batchSize = 100
const batchWaitMs = 1_000

/** Limits of a hub: its database takes one trip after the other, and a consumer takes a batch of the queue at a time. */
export interface Ceilings {
  readonly trip: (where: Place) => Promise<void>
  readonly queue: { readonly send: (round: WrittenRound) => void }
}

export interface Measured {
  readonly trips: () => number
  /** How long each message was in the queue until the database had it, in milliseconds. */
  readonly queueMs: readonly number[]
  readonly batches: () => number
  /** Messages in the queue, at most. */
  readonly longestQueue: () => number
}

/** Ceilings of a database that takes `tripsPerSecond` trips in a second, with their measurements. */
export function ceilingsOf(world: Around, draws: Draws, tripsPerSecond: number): Ceilings & Measured {
  const { time, records } = world
  const takes = (where: Place) => tripMs[where][0] + draws.below(tripMs[where][1] - tripMs[where][0])
  const database = createDatabase(time, () => takes('database'), tripsPerSecond)
  const waiting: { round: WrittenRound; sentMs: number }[] = []
  const queueMs: number[] = []
  let batches = 0
  let longestQueue = 0
  let isConsumed = false
  const consume = async (): Promise<void> => {
    if (isConsumed) return
    isConsumed = true
    if (waiting.length < batchSize) await time.wait(batchWaitMs)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize)
      batches += 1
      await database.trip()
      for (const { round, sentMs } of batch) {
        records.receive(round)
        queueMs.push(time.nowMs - sentMs)
        world.undelivered -= 1
      }
      if (waiting.length < batchSize) break
    }
    isConsumed = false
    if (waiting.length > 0) void consume()
  }
  return {
    trip: (where) => (where === 'database' ? database.trip() : time.wait(takes(where))),
    queue: {
      send: (round) => {
        waiting.push({ round, sentMs: time.nowMs })
        world.undelivered += 1
        longestQueue = Math.max(longestQueue, waiting.length)
        void consume()
      },
    },
    ...{ trips: database.trips, queueMs, batches: () => batches, longestQueue: () => longestQueue },
  }
}
