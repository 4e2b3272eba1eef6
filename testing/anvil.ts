import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Anvil, findAnvil, startAnvil as start } from '../contracts/anvil.ts'

export type { Anvil } from '../contracts/anvil.ts'

/** Whether this machine has the chain at all; tests that need one are skipped elsewhere. */
export const hasAnvil = findAnvil() !== null

/** Starts a chain of its own on a free port, forgotten at the end. */
export const startAnvil = (flags: readonly string[] = []): Promise<Anvil> => start({ flags })

/**
 * Remembers a chain as it is.
 *
 * @returns A function that takes it back to this, as often as it is called. It does not change whether the chain mines by itself.
 */
export async function markBeginning({ rpc }: Pick<Anvil, 'rpc'>): Promise<() => Promise<void>> {
  let snapshot = await rpc('evm_snapshot')
  const { baseFeePerGas } = await rpc<{ baseFeePerGas: string[] }>('eth_feeHistory', '0x1', 'latest', [])
  return async () => {
    await rpc('anvil_dropAllTransactions')
    if (!(await rpc<boolean>('evm_revert', snapshot))) throw new Error('the chain cannot be taken back')
    // It keeps the fee that the next block would have had.
    await rpc('anvil_setNextBlockBaseFeePerGas', baseFeePerGas.at(-1))
    // A block with the hash of one that was taken back would lose its state when the chain forgets that of the other.
    await rpc('anvil_setCoinbase', `0x${randomBytes(20).toString('hex')}`)
    snapshot = await rpc('evm_snapshot')
  }
}

/** Sends a transaction of an account that the chain signs for. It is in a block when this returns, a while after it was taken. */
export async function sendMined({ rpc }: Pick<Anvil, 'rpc'>, transaction: object): Promise<void> {
  const hash = await rpc<string>('eth_sendTransaction', transaction)
  while ((await rpc('eth_getTransactionReceipt', hash)) === null) await setTimeout(5)
}
