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

/** A node that answers with an execution error is a node that was reached. */
const isRevert = (error: unknown): boolean => {
  const codes = new Set<unknown>()
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    codes.add((cause as { code?: unknown }).code)
  return codes.has(3) || codes.has(-32000) || codes.has(-32015)
}
