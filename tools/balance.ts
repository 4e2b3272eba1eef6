import { callOf } from '../scripts/command/call.ts'
import { readBalance } from '../scripts/hub/balance.ts'
import { type Network, readEconomics } from '../scripts/hub/network.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import { HubError } from '../sdk/errors.ts'
import { inTokens } from './amounts.ts'

/**
 * Says where tokens come from, before anything is made that waits for them.
 *
 * @param purpose what the amount is for, such as "bonds".
 * @throws {@link HubError} where the wallet has fewer tokens, or nobody knows how many.
 */
export async function requireBalance(
  network: Network,
  wallet: Wallet,
  amount: string | bigint,
  purpose: string,
): Promise<void> {
  const { address } = wallet
  const balance = await readBalance(network, wallet)
  if (balance === null)
    throw new HubError(`the chain does not return the token balance of ${address}; try again`)
  if (BigInt(balance) >= BigInt(amount)) return
  throw new HubError(
    `${address} has ${inTokens(network, balance)} and ${purpose} ${inTokens(network, amount)}. ` +
      `${callOf('faucet')} asks the faucet of the network for tokens`,
  )
}

/** Checks that the wallet has what the vault of a project lacks of an amount; null: a project that is still to be registered. */
export async function requireFunds(
  network: Network,
  wallet: Wallet,
  projectId: string | null,
  amount: bigint,
): Promise<void> {
  const vault = projectId === null ? null : (await readEconomics(wallet.client, projectId)).vault
  const held = BigInt(vault?.balance ?? 0)
  if (amount > held) await requireBalance(network, wallet, amount - held, 'must put into the vault')
}
