import { type Block, selectAuditBlock } from '../../protocol/consensus/index.ts'
import { findBeaconBlock } from '../chain/beacon-block.ts'
import type { ChainClient } from '../chain/client.ts'

/** Blocks that are looked at in one trip; rounds that close are mostly a block or two behind. */
const windowBlocks = 8

/** The audit block of a round: the first one with a timestamp above `agreedAt`. Null while there is none. */
export async function findAuditBlock(
  chain: Pick<ChainClient, 'blocks' | 'latestBlock'>,
  agreedAt: number,
): Promise<Block | null> {
  const latest = await chain.latestBlock()
  if (latest.timestamp <= agreedAt) return null
  const first = Math.max(0, latest.number - windowBlocks + 1)
  const numbers = Array.from({ length: latest.number - first }, (_, i) => first + i)
  const recent = [...(await chain.blocks(numbers)).filter((block) => block !== null), latest]
  if (first === 0 || (recent[0]?.timestamp ?? Number.POSITIVE_INFINITY) <= agreedAt)
    return selectAuditBlock(recent, agreedAt)
  // The hub was away for long: the block before the audit block is sought among all.
  const before = await findBeaconBlock(chain, latest, agreedAt + 1)
  const [found] = await chain.blocks([before === null ? 0 : before.number + 1])
  return found ?? null
}
