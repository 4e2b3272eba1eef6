import { expect, test } from 'vitest'
import { retryPauseMs } from './project-committees.ts'

test('the pauses between attempts grow from 5 s to 5 minutes, and no further', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((attempts) => retryPauseMs(attempts) / 1000)
  expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})
