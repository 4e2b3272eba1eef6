import type { Range } from './limits.ts'

export type Draws = ReturnType<typeof createDraws>

/** Draws of a seed (mulberry32). */
export function createDraws(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    isHit: (chance: number): boolean => chance > 0 && next() < chance,
    between: ([from, to]: Range): number => from + next() * (to - from),
    shuffle: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => [next(), item] as const)
        .sort(([a], [b]) => a - b)
        .map(([, item]) => item),
  }
}
