import type { VirtualTime } from './platform/virtual-time.ts'

/** As a deployment has it. */
const tripsPerSecond = 500
/** Reads of other users, in a second. */
const readsPerSecond = 50

/** Trips begin in order, no more of them in a second than the database takes. */
export function createDatabase(time: VirtualTime, takesMs: () => number, perSecond = tripsPerSecond) {
  let trips = 0
  let freeMs = 0
  const tripOfOthers = (): Promise<void> => {
    freeMs = Math.max(freeMs + 1_000 / perSecond, time.nowMs)
    return time.wait(freeMs - time.nowMs + takesMs())
  }
  return {
    /** How many measured trips have begun so far. */
    trips: () => trips,
    trip: (): Promise<void> => {
      trips += 1
      return tripOfOthers()
    },
    tripOfOthers,
  }
}

/** @returns A function that returns the milliseconds of each read that ended since its last call. */
export function readSteadily(time: VirtualTime, trip: () => Promise<void>): () => readonly number[] {
  let took: number[] = []
  const read = async (): Promise<void> => {
    time.after(1_000 / readsPerSecond, () => void read())
    const beganMs = time.nowMs
    await trip()
    took.push(time.nowMs - beganMs)
  }
  void read()
  return () => {
    const ended = took
    took = []
    return ended
  }
}

export const p99 = (ms: readonly number[]): number =>
  Math.round(ms.toSorted((one, other) => one - other)[Math.floor(ms.length * 0.99)] ?? Number.NaN)
