import { privateKeyToAccount } from 'viem/accounts'
import { fundVault } from '../localnet/vault.ts'
import type { Hex } from '../protocol/encoding/index.ts'
import { UsageError } from '../scripts/command/errors.ts'
import type { Network } from '../scripts/hub/network.ts'
import { readEconomics } from '../scripts/hub/network.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import { HubError } from '../sdk/errors.ts'
import { inUnits } from './amounts.ts'
import { print, printStep } from './print.ts'

/**
 * Brings the vault of a project up to an amount of the token that the project pays, from its developer's wallet; it is opened if it is not.
 *
 * @param otherRpcUrl where the chain is, instead of where the hub says it is.
 */
export async function fundProject(
  network: Network,
  { client, key }: Wallet,
  projectId: string,
  otherRpcUrl: string | undefined,
  amountWei: bigint,
): Promise<void> {
  const { profile, contracts, vaultFactory, rpcUrl } = network
  printStep('Fund the vault: the wallet sends these transactions itself')
  const rpc = otherRpcUrl ?? rpcUrl
  if (rpc === null) throw new UsageError('This hub does not name its chain; name it with --rpc URL.')
  if (contracts === null || vaultFactory === null) throw new HubError('this network has no vaults')
  const { token, vault, epoch_secs, epoch_cap } = await readEconomics(client, projectId)
  const added = await fundVault(
    rpc,
    privateKeyToAccount(key as Hex),
    {
      chainId: profile.chain_id,
      projectId,
      address: vault.address,
      factory: vaultFactory,
      token: token.address,
      epochSecs: epoch_secs,
      epochCap: epoch_cap,
    },
    amountWei,
  )
  print(
    '·',
    added === 0n
      ? `the vault ${vault.address} holds ${inUnits(token, amountWei)} or more: nothing to add`
      : `${inUnits(token, added)} were put into the vault ${vault.address}`,
  )
}
