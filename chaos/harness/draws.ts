import { seededRandom } from '../../testing/fault-proxy.ts'

export interface Draws {
  /** A whole number from 0 to below `end`. */
  below: (end: number) => number
  /** True in `share` of a hundred cases. */
  percent: (share: number) => boolean
  pick: <T>(choices: readonly T[]) => T
  /** Includes each of the choices in `share` of a hundred cases. */
  some: <T>(choices: readonly T[], share: number) => T[]
}

export function draws(seed: number): Draws {
  const random = seededRandom(seed)
  const below = (end: number) => Math.floor(random() * end)
  const percent = (share: number) => random() * 100 < share
  return {
    below,
    percent,
    pick: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    some: (choices, share) => choices.filter(() => percent(share)),
  }
}
