import { expect, test } from 'vitest'
import { frequencies } from './frequencies.ts'

test.each(frequencies)('$name come as often as expected', ({ statisticOf, most }) => {
  expect(statisticOf(10_000)).toBeLessThan(most)
})
