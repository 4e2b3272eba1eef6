import type { Draws } from '../harness/draws.ts'

/**
 * The next turn, after everybody was left alone: one node ends and comes back, or in one of six cases two of any role. Then no
 * quorum of the validators may be up, and rounds wait until it is.
 *
 * @param nodes Nodes that may be disturbed.
 */
export function drawTurn(random: Draws, nodes: number) {
  const first = random.below(nodes)
  const second = (first + 1 + random.below(nodes - 1)) % nodes
  const hit = random.percent(17) ? [first, second] : [first]
  return {
    afterMs: 5_000 + random.below(20_000),
    disturbances: hit.map((node) => ({
      node,
      signal: random.percent(50) ? ('SIGTERM' as const) : ('SIGKILL' as const),
      downMs: random.below(10_000),
    })),
  }
}

/** Above what the rows of the hub hold, and below what the module of the sample can emit. */
const largeChars = 8_000

/** One task in twenty has an input and a result that the hub keeps as files. */
export const drawInput = (random: Draws, index: number): string =>
  JSON.stringify({ task: index, text: 'x'.repeat(random.percent(5) ? largeChars : random.below(200)) })
