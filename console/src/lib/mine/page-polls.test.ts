import { expect, test } from 'vitest'
import { pagesPollMs } from './page-polls.ts'

test.each([0, 1, 2, 60])('a list with %i pages is read with at most the calls of one page', (pages) => {
  const callsPerMinute = (pages * 60_000) / pagesPollMs(10_000, pages)
  expect(callsPerMinute).toBeLessThanOrEqual(6)
})
