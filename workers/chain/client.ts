import { createClient, type Hex, http, numberToHex } from 'viem'

export interface ChainClient {
  /** Whether the address holds code at the latest block. */
  holdsCode(address: string): Promise<boolean>
  /** The return data of a read-only call, or null when it reverts. */
  call(to: string, data: Hex, gas: number): Promise<Hex | null>
}

const timeoutMs = 3_000

/** Every method throws when the chain cannot be reached in time. */
export function createChainClient(rpcUrl: string): ChainClient {
  const client = createClient({
    transport: http(rpcUrl, {
      timeout: timeoutMs,
      retryCount: 0,
      fetchFn: (input, init) => fetch(input, init),
    }),
  })
  return {
    async holdsCode(address) {
      const code = await client.request({ method: 'eth_getCode', params: [address as Hex, 'latest'] })
      return code !== '0x' && code !== undefined
    },
    async call(to, data, gas) {
      try {
        return await client.request({
          method: 'eth_call',
          params: [{ to: to as Hex, data, gas: numberToHex(gas) }, 'latest'],
        })
      } catch (error) {
        if (isRevert(error)) return null
        throw error
      }
    },
  }
}

/**
 * Whether the node ran the call and the call failed, rather than the node. The codes differ from node to node; what
 * the virtual machine stops for does not.
 */
const isRevert = (error: unknown): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, details = cause.message } = cause as { code?: unknown; details?: string }
    if (code === 3 || /revert|out ?of ?gas|opcode|stack (over|under)flow|jump|\bE?VM\b/i.test(details))
      return true
  }
  return false
}
