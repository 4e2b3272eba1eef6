import { setTimeout } from 'node:timers/promises'
import { type Anvil, findAnvil, startAnvil as start } from '../contracts/anvil.ts'

export type { Anvil } from '../contracts/anvil.ts'

/** Whether this machine has the chain at all; tests that need one are skipped elsewhere. */
export const hasAnvil = findAnvil() !== null

/** Starts a chain of its own on a free port, forgotten at the end. */
export const startAnvil = (flags: readonly string[] = []): Promise<Anvil> => start({ flags })

/** Sends a transaction of an account that the chain signs for. It is in a block when this returns, a while after it was taken. */
export async function sendMined({ rpc }: Pick<Anvil, 'rpc'>, transaction: object): Promise<void> {
  const hash = await rpc<string>('eth_sendTransaction', transaction)
  while ((await rpc('eth_getTransactionReceipt', hash)) === null) await setTimeout(5)
}
