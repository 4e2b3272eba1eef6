import { afterEach, expect, test, vi } from 'vitest'
import type { Env } from '../env.ts'
import { wakeFeeds } from './client.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a writer waits at most half a second for objects that fail or never answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const woken: string[] = []
  const getByName = (name: string) => ({
    wake: () => {
      woken.push(name)
      return name === 'feed-0' ? new Promise(() => {}) : Promise.reject(new Error('the object is away'))
    },
  })
  const done = wakeFeeds({ EVENT_FEED: { getByName } } as unknown as Env)([0, 1])
  await vi.advanceTimersByTimeAsync(500)
  expect(await done).toBeUndefined()
  expect(woken).toEqual(['feed-0', 'feed-1'])
})
