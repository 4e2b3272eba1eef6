import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ApiError, unavailable } from './errors.ts'
import { createNetworkClock } from './network-clock.ts'

const start = 1_800_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(start * 1000)
})
afterEach(() => vi.useRealTimers())

/** A clock that follows a chain, whose lead the test sets, and how often the lead was read. */
function chainClock(leadSecs: number) {
  const chain = { leadSecs, reads: 0, failure: null as ApiError | null }
  const clock = createNetworkClock('chain', async () => {
    chain.reads += 1
    if (chain.failure) throw chain.failure
    return chain.leadSecs
  })
  return { chain, clock }
}

describe('network time', () => {
  test('is the time of the machine, not that of the chain, unless it follows the chain', async () => {
    const clock = createNetworkClock('system', async () => 7_200)
    expect(await clock.now()).toBe(start)
  })

  test('is ahead of the machine by the lead of the chain', async () => {
    const { clock, chain } = chainClock(0)
    expect(await clock.now()).toBe(start)
    chain.leadSecs = 7_200
    vi.advanceTimersByTime(1_000)
    expect(await clock.now()).toBe(start + 1 + 7_200)
  })

  test('reads the lead at most once in a tenth of a second', async () => {
    const { clock, chain } = chainClock(60)
    for (let times = 0; times < 10; times++) await clock.now()
    expect(chain.reads).toBe(1)
    vi.advanceTimersByTime(100)
    await Promise.all(Array.from({ length: 10 }, () => clock.now()))
    expect(chain.reads).toBe(2)
  })

  test('never goes back, neither if the index forgets the lead, nor if the clock of the machine is set back', async () => {
    const { clock, chain } = chainClock(3_600)
    expect(await clock.now()).toBe(start + 3_600)
    chain.leadSecs = 0
    vi.advanceTimersByTime(1_000)
    expect(await clock.now()).toBe(start + 3_600)
    vi.setSystemTime((start - 500) * 1000)
    expect(await clock.now()).toBe(start + 3_600)
  })

  test('continues with the last lead while the database does not answer', async () => {
    const { clock, chain } = chainClock(3_600)
    await clock.now()
    chain.failure = unavailable('The database')
    vi.advanceTimersByTime(5_000)
    expect(await clock.now()).toBe(start + 5 + 3_600)
  })

  test('does not hide programming errors', async () => {
    const clock = createNetworkClock('chain', async () => {
      throw new TypeError('no column lead_secs')
    })
    await expect(clock.now()).rejects.toThrow(TypeError)
  })
})
