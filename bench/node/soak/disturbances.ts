import type { Draws } from '../../draws.ts'

/** What happens to one node: it ends, in one of two ways, and comes back after a while. */
export interface Disturbance {
  /** Index in the nodes that may be disturbed. */
  readonly node: number
  readonly signal: 'SIGTERM' | 'SIGKILL'
  readonly downMs: number
}

/** Nodes that are down at once, and how long everybody is left alone before. */
export interface Turn {
  readonly afterMs: number
  readonly disturbances: readonly Disturbance[]
}

/**
 * What happens next. One node in most cases, two of any role in one of six: then no quorum of the validators may be up, and
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
