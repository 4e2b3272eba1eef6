import { describe, expect, test } from 'vitest'
import type { Wait } from '../hub/repeat.ts'
import { whileHubIsAway } from './hub-patience.ts'
import { HubAway, OfferRefused } from './offer-refused.ts'

/** A clock that moves when somebody waits. */
function createTime(stop = new AbortController()) {
  let now = 1_000
  const waits: number[] = []
  const wait: Wait = async (seconds) => {
    waits.push(seconds)
    now += seconds
  }
  const patience = { now: () => now, until: 1_010, stop: stop.signal, wait, random: () => 1 }
  return { patience, waits }
}

const away = (retryAfterSeconds: number | null = null) => new HubAway('the hub is away', retryAfterSeconds)

/** Fails once with each error, then succeeds. */
function failing(errors: Error[]) {
  let calls = 0
  const work = async (): Promise<string> => {
    const error = errors[calls++]
    if (error !== undefined) throw error
    return 'answer'
  }
  return { work, calls: () => calls }
}

describe('whileHubIsAway', () => {
  test('tries again after pauses that grow', async () => {
    const { patience, waits } = createTime()
    expect(await whileHubIsAway(failing([away(), away(), away()]).work, patience)).toBe('answer')
    expect(waits).toEqual([1, 2, 4])
  })

  test('waits as long as the hub asks for', async () => {
    const { patience, waits } = createTime()
    expect(await whileHubIsAway(failing([away(5), away(0)]).work, patience)).toBe('answer')
    expect(waits).toEqual([5, 2])
  })

  test('gives up as soon as the next try would come too late', async () => {
    const { patience, waits } = createTime()
    const always = failing(Array.from({ length: 9 }, () => away()))
    await expect(whileHubIsAway(always.work, patience)).rejects.toThrow(HubAway)
    expect([waits, always.calls()]).toEqual([[1, 2, 4], 4])
    const long = failing([away(10)])
    await expect(whileHubIsAway(long.work, createTime().patience)).rejects.toThrow(HubAway)
    expect(long.calls()).toBe(1)
  })

  test('reports that the hub was away if the last try ended too late', async () => {
    const { patience } = createTime()
    const { work, calls } = failing([away(4), new OfferRefused('busy', 'too late')])
    const late = async () => {
      if (calls() === 1) await patience.wait(6, patience.stop)
      return work()
    }
    await expect(whileHubIsAway(late, patience)).rejects.toThrow(HubAway)
    const inTime = failing([away(4), new OfferRefused('incompatible', 'no')])
    await expect(whileHubIsAway(inTime.work, createTime().patience)).rejects.toThrow('no')
  })

  test('does not retry a failure that another try cannot change', async () => {
    const { patience, waits } = createTime()
    const refused = failing([new OfferRefused('incompatible', 'no'), away()])
    await expect(whileHubIsAway(refused.work, patience)).rejects.toThrow('no')
    expect([waits, refused.calls()]).toEqual([[], 1])
  })

  test('ends when its signal is aborted', async () => {
    const stop = new AbortController()
    const { patience } = createTime(stop)
    const always = failing([away(), away()])
    const told = { ...patience, wait: async () => stop.abort() }
    await expect(whileHubIsAway(always.work, told)).rejects.toThrow(HubAway)
    expect(always.calls()).toBe(1)
  })
})
