import { vi } from 'vitest'

const url = 'http://absent-chain.test'

/**
 * Gives bindings of a hub at whose chain nobody answers, as where a connection is refused. A connection that workerd itself
 * cannot make is reported by it as an uncaught exception, even if it is caught, so the request fails here.
 */
export async function withAbsentChain(
  work: (bindings: { CHAIN_RPC_URL: string }) => Promise<void>,
): Promise<void> {
  const ask = globalThis.fetch
  const asked = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation((...given) =>
      given[0] === url ? Promise.reject(new Error('Network connection lost.')) : ask(...given),
    )
  try {
    await work({ CHAIN_RPC_URL: url })
    if (asked.mock.calls.every(([target]) => target !== url)) throw new Error('nobody asked the chain')
  } finally {
    asked.mockRestore()
  }
}
