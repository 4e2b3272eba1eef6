import { type Anvil, findAnvil, startAnvil as start } from '../contracts/anvil.ts'

export type { Anvil } from '../contracts/anvil.ts'

/** Whether this machine has the chain at all; tests that need one are skipped elsewhere. */
export const hasAnvil = findAnvil() !== null

/** Starts a chain of its own on a free port, forgotten at the end. */
export const startAnvil = (flags: readonly string[] = []): Promise<Anvil> => start({ flags })
