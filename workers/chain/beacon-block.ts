import { RpcUnreachable } from '../../durable-objects/chain/json-rpc.ts'
import type { BlockRef } from '../../durable-objects/indexer/index-store.ts'
import type { Block } from '../../protocol/committees/index.ts'

/** What the search asks the chain: the blocks of these numbers, or null where it has none. */
export interface BlockReader {
  blocks(numbers: readonly number[]): Promise<(Block | null)[]>
}

/** Blocks asked for at once: a search among a billion of them takes eight trips. */
const probesMax = 16

/**
 * The block of a beacon: the highest with a timestamp below the target, sought up to the final block, so that it is never taken back. Null
 * while no final block has reached the target, or when none is below it.
 * @throws {@link RpcUnreachable} when the node lacks the final block, or blocks below it.
 */
export async function findBeaconBlock(
  chain: BlockReader,
  final: BlockRef,
  targetTime: number,
): Promise<Block | null> {
  const [last] = await chain.blocks([final.number])
  if (last?.hash !== final.hash) throw new RpcUnreachable('the node does not have the final block')
  if (last.timestamp < targetTime) return null
  let found: Block | null = null
  // Every block up to `low` is below the target, and none from `high` on.
  for (let low = -1, high = final.number; high - low > 1; ) {
    for (const block of await chain.blocks(probesBetween(low, high))) {
      if (block === null) throw new RpcUnreachable('the node lacks a block below the final one')
      if (block.timestamp >= targetTime) {
        high = block.number
        break
      }
      low = block.number
      found = block
    }
  }
  return found
}

/** Numbers between the two, ascending and evenly spread. */
function probesBetween(low: number, high: number): number[] {
  const between = high - low - 1
  const count = Math.min(probesMax, between)
  return Array.from({ length: count }, (_, i) => low + Math.floor(((i + 1) * (between + 1)) / (count + 1)))
}
