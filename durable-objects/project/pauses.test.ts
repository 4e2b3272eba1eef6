import { expect, test } from 'vitest'
import { restPauseMs, retryPauseMs } from './pauses.ts'

test('the pauses between attempts grow from 5 s to 5 minutes, and no further', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((attempts) => retryPauseMs(attempts) / 1000)
  expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('a project rests until something is due, and for a second or one poll at most where time may leap', () => {
  expect(restPauseMs(600_000, null)).toBe(600_000)
  expect(restPauseMs(600_000, 500)).toBe(1_000)
  expect(restPauseMs(600_000, 12_000)).toBe(12_000)
  expect(restPauseMs(300, 500)).toBe(300)
})
