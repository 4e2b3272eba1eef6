import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'

const ask = (tokens: number, limit = 10) => ({ limit, windowSeconds: 60, tokens })

const endWindow = (limiter: ReturnType<typeof env.RATE_LIMITER.getByName>) =>
  runInDurableObject(limiter, (_, { storage }) => storage.kv.put('tokens', { windowEndsAtMs: 1, used: 10 }))

describe('RateLimiter', () => {
  test('grants the remaining tokens and never more', async () => {
    const limiter = env.RATE_LIMITER.getByName('grants')
    expect(await limiter.take(ask(4))).toMatchObject({ granted: 4, remaining: 6 })
    expect(await limiter.take(ask(4))).toMatchObject({ granted: 4, remaining: 2 })
    expect(await limiter.take(ask(4))).toMatchObject({ granted: 2, remaining: 0 })
    expect(await limiter.take(ask(4))).toMatchObject({ granted: 0, remaining: 0 })
  })

  test('a window keeps its end time', async () => {
    const limiter = env.RATE_LIMITER.getByName('window')
    const first = await limiter.take(ask(1))
    const second = await limiter.take(ask(1))
    expect(first.resetMs).toBe(60_000)
    expect(second.resetMs).toBeLessThanOrEqual(first.resetMs)
  })

  test('an eviction in the middle of a window loses no counts', async () => {
    const limiter = env.RATE_LIMITER.getByName('evicted')
    await limiter.take(ask(7))
    await evictDurableObject(limiter)
    expect(await limiter.take(ask(7))).toMatchObject({ granted: 3, remaining: 0 })
  })

  test('parallel calls share the limit', async () => {
    const limiter = env.RATE_LIMITER.getByName('parallel')
    const taken = await Promise.all(Array.from({ length: 30 }, () => limiter.take(ask(3, 50))))
    expect(taken.reduce((sum, { granted }) => sum + granted, 0)).toBe(50)
  })

  test('a new window begins with the full limit', async () => {
    const limiter = env.RATE_LIMITER.getByName('ended')
    await limiter.take(ask(10))
    await endWindow(limiter)
    expect(await limiter.take(ask(1))).toMatchObject({ granted: 1, remaining: 9 })
  })

  test('an alarm that fires early changes nothing, and a late one clears the storage', async () => {
    const limiter = env.RATE_LIMITER.getByName('alarmed')
    await limiter.take(ask(10))
    expect(await runDurableObjectAlarm(limiter)).toBe(true)
    expect(await limiter.take(ask(1))).toMatchObject({ granted: 0 })

    await endWindow(limiter)
    expect(await runDurableObjectAlarm(limiter)).toBe(true)
    expect(await runInDurableObject(limiter, (_, state) => state.storage.kv.get('tokens'))).toBeUndefined()
  })
})
