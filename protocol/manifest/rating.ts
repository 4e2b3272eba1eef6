import type { Range } from '../encoding/index.ts'

/** Ratings that a review gives. */
export const ratings: Range = { min: 1, max: 5 }

/** Longest comment of a review, in characters. */
export const reviewCommentMax = 2_000

/**
 * The average of ratings in hundredths: `round(100 × sum / count)`, halves up; null without reviews. Sums are integers, so
 * no binary fraction decides a half.
 */
export function averageRatingX100(sum: number, count: number): number | null {
  if (count === 0) return null
  return Number((200n * BigInt(sum) + BigInt(count)) / (2n * BigInt(count)))
}
