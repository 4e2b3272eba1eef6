import type { Draws } from '../harness/draws.ts'
import type { Ending } from '../network/end-node.ts'

/** One node ends, in one of two ways, and comes back after a while. */
export interface Disturbance {
  /** Index in the nodes that may be disturbed. */
  readonly node: number
  readonly signal: Ending
  readonly downMs: number
}

/** Nodes that are down at once, and how long everybody is left alone before. */
export interface Turn {
  readonly afterMs: number
  readonly disturbances: readonly Disturbance[]
}

/**
 * The next turn: one node in most cases, two of any role in one of six. Then no quorum of the validators may be up, and
 * rounds wait until it is.
 */
export function drawTurn(random: Draws, nodes: number): Turn {
  const first = random.below(nodes)
  const second = (first + 1 + random.below(nodes - 1)) % nodes
  const hit = random.percent(17) ? [first, second] : [first]
  return {
    afterMs: 5_000 + random.below(20_000),
    disturbances: hit.map((node) => ({
      node,
      signal: random.percent(50) ? 'SIGTERM' : 'SIGKILL',
      downMs: random.below(10_000),
    })),
  }
}

/** Above what the rows of the hub hold, and below what the module of the sample can emit. */
const largeChars = 8_000

/** One task in twenty has an input and a result that the hub keeps as files. */
export const drawInput = (random: Draws, index: number): string =>
  JSON.stringify({ task: index, text: 'x'.repeat(random.percent(5) ? largeChars : random.below(200)) })
