import type { Anvil } from '../contracts/anvil.ts'

/**
 * Transactions with nonces that no block has used. A replacement that reached the node while the one it replaces was
 * being mined stays in the pool and can never leave it.
 */
export async function waitingIn(chain: Pick<Anvil, 'rpc'>): Promise<number> {
  type Senders = Record<string, Record<string, unknown>>
  const pool = await chain.rpc<{ pending: Senders; queued: Senders }>('txpool_content')
  const counts = [...Object.entries(pool.pending), ...Object.entries(pool.queued)].map(
    async ([sender, byNonce]) => {
      const used = Number(await chain.rpc('eth_getTransactionCount', sender, 'latest'))
      return Object.keys(byNonce).filter((nonce) => Number(nonce) >= used).length
    },
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}
