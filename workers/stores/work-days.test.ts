import { expect, test } from 'vitest'
import type { WorkDays } from './schema/index.ts'
import { workSince } from './work-days.ts'

test('work counts from the first day on, summed over all that worked', () => {
  const all: WorkDays[] = [{ 19: [64, 32, 32], 20: [1, 2, 3], 21: [4, 5, 6] }, { 20: [10, 20, 30] }]
  expect(workSince(all, 20)).toEqual({ units: 15, answered: 27, asked: 39 })
  expect(workSince(all, 22)).toEqual({ units: 0, answered: 0, asked: 0 })
})
