import { profileStrings } from '../../protocol/identity/index.ts'
import type { Network } from './network.ts'
import type { Wallet } from './wallet.ts'

/** The balance of a wallet in the network's token, in base units; null while the chain does not say. */
export async function readBalance(
  { profile }: Pick<Network, 'profile'>,
  { client }: Pick<Wallet, 'client'>,
): Promise<string | null> {
  const summary: object = await client.call('GET /v1/me/collateral')
  // The generated types know this member by its default name.
  return (summary as Record<string, string | null>)[profileStrings(profile).balance_field] ?? null
}
