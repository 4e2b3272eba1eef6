import type { Hex } from 'viem'
import { JsonRpc, quantity, RpcError } from '../../durable-objects/chain/json-rpc.ts'
import { isRevert } from '../../durable-objects/relayer/revert-reason.ts'

export interface ChainClient {
  /** Whether the address holds code at the latest block. */
  holdsCode(address: string): Promise<boolean>
  /** The return data of a read-only call, or null when it reverts. */
  call(to: string, data: Hex, gas: number): Promise<Hex | null>
}

const timeoutMs = 3_000

/** Every method throws when the chain cannot be reached in time. */
export function createChainClient(rpcUrl: string): ChainClient {
  // One for every question: requests that wait for one another would belong to different callers.
  const rpc = () => new JsonRpc(rpcUrl, timeoutMs)
  return {
    async holdsCode(address) {
      return (await rpc().call<string>('eth_getCode', address, 'latest')) !== '0x'
    },
    async call(to, data, gas) {
      try {
        return await rpc().call<Hex>('eth_call', { to, data, gas: quantity(gas) }, 'latest')
      } catch (error) {
        if (error instanceof RpcError && isRevert(error)) return null
        throw error
      }
    },
  }
}
