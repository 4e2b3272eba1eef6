import { expect, test } from 'vitest'
import { averageRatingX100 } from './rating.ts'

test('averageRatingX100 rounds halves up and is null without reviews', () => {
  expect(averageRatingX100(0, 0)).toBeNull()
  expect(averageRatingX100(9, 2)).toBe(450)
  expect(averageRatingX100(13, 3)).toBe(433)
  expect(averageRatingX100(14, 3)).toBe(467)
  expect(averageRatingX100(201, 200)).toBe(101)
})
