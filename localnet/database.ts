import { callBatch } from '../contracts/json-rpc.ts'
import type { Tip } from '../scripts/wrangler-hub.ts'

/** Whether the chain at `rpcUrl` has a block. */
export async function isOnChain(tip: Tip, rpcUrl: string): Promise<boolean> {
  const [block] = await callBatch(rpcUrl, [
    ['eth_getBlockByNumber', `0x${tip.block_number.toString(16)}`, false],
  ])
  return (block as { hash: string } | null)?.hash === tip.block_hash
}
