import { callBatch, RpcError } from '../contracts/json-rpc.ts'
import { CommandError } from '../scripts/command/errors.ts'
import type { Network } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'
import { reasonOf } from './errors.ts'

/** A span of network time, its end included; Unix seconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Moves the chain of a local network ahead, and waits until the hub has followed.
 *
 * @throws {@link CommandError} when the chain does not let its time be moved, or the hub does not follow it.
 */
export async function passTime(
  { now }: Pick<Network, 'now'>,
  rpcUrl: string,
  seconds: number,
): Promise<Span> {
  const from = await now()
  const head = await moveChain(rpcUrl, seconds)
  // A chain that was started again is behind what the hub has seen of it.
  const missing = from + seconds - head
  const reached = missing > 0 ? await moveChain(rpcUrl, missing) : head
  const to = await waitFor('the hub to follow the chain', now, (time) => time >= reached)
  return { from, to }
}

/** @returns The time of the new head. */
async function moveChain(rpcUrl: string, seconds: number): Promise<number> {
  try {
    await callBatch(rpcUrl, [['evm_increaseTime', seconds], ['evm_mine']])
    const [head] = await callBatch(rpcUrl, [['eth_getBlockByNumber', 'latest', false]])
    return Number((head as { timestamp: string }).timestamp)
  } catch (error) {
    if (!(error instanceof RpcError || (error as Error).cause instanceof Error)) throw error
    throw new CommandError(
      `The time of the chain at ${rpcUrl} cannot be moved; only a local network allows that: ${reasonOf(error)}`,
    )
  }
}
