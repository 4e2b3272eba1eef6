import type { NetworkParams } from '../protocol/identity/index.ts'
import { epochLengths } from '../protocol/manifest/index.ts'

/**
 * From one empty block to the next. No less, because what anvil keeps of each block grows with the number of blocks since it was
 * started: with half the time a day takes 8 GB of the disk in place of 2.
 */
export const usualBlockSecs = 4

/** The least that is kept: for fast chains, and because blocks with transactions come in addition to the empty ones. */
const blocksMin = 1_000

/**
 * The number of blocks whose states are kept. Validators ask for the stakes at the beacon block, which is
 * `beacon_offset_secs` older than its epoch, and may do so until that epoch ends.
 *
 * @param blockSecs from one empty block to the next.
 */
export const historyBlocksOf = (
  { beacon_offset_secs }: Pick<NetworkParams, 'beacon_offset_secs'>,
  blockSecs: number,
): number => Math.max(blocksMin, Math.ceil((beacon_offset_secs + Math.min(...epochLengths)) / blockSecs))
