import type { Block } from '../../protocol/committees/index.ts'

/** The result of the last look at the chain, for all parts of the hub that follow it. */
export interface NewestBlocks {
  /** The newest blocks, in their order and without gaps; none while the index does not have what the chain has. */
  blocks: readonly Block[]
  /** When the chain is asked again. */
  nextPollMs: number
  /** Whether new blocks become final in time, so that records about them may be signed. */
  isFinalizing: boolean
}

/** The time of a look at the chain, including the trip to the database. */
const lookMs = 300

/** How long those who wait for a block leave the next look to come. */
export const untilNextLook = ({ nextPollMs }: Pick<NewestBlocks, 'nextPollMs'>, nowMs: number): number =>
  Math.max(lookMs, nextPollMs + lookMs - nowMs)
