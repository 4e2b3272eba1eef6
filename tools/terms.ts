import { privateKeyToAccount } from 'viem/accounts'
import { announceVaultTerms } from '../localnet/vault-terms.ts'
import { epochStart } from '../protocol/committees/index.ts'
import { epochCap } from '../protocol/earnings/index.ts'
import type { Hex } from '../protocol/encoding/index.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { type Network, readEconomics } from '../scripts/hub/network.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import { inUnits } from './amounts.ts'
import { print, printStep, utc } from './print.ts'

/**
 * Has the vault of a project pay epochs as the newest published version has them: their length, and the most that one may cost. Terms of a
 * version that waits for its epoch begin with it, where the notice that a vault wants leaves time for that.
 *
 * @param otherRpcUrl where the chain is, instead of where the hub says it is.
 */
export async function announceTerms(
  network: Network,
  { client, key }: Wallet,
  projectId: string,
  otherRpcUrl: string | undefined,
): Promise<void> {
  printStep('Announce the terms of the newest version to the vault: the wallet sends this transaction itself')
  const rpc = otherRpcUrl ?? network.rpcUrl
  if (rpc === null) throw new UsageError('This hub does not name its chain; name it with --rpc URL.')
  const { address, token, wanted } = await readWanted(client, projectId)
  const vault = { chainId: network.profile.chain_id, address }
  const { terms, isNew } = await announceVaultTerms(rpc, privateKeyToAccount(key as Hex), vault, wanted)
  print(
    '·',
    `the vault ${address} pays epochs of ${terms.epochSecs} s, each with at most ${inUnits(token, terms.epochCap)}, ` +
      `from ${utc(terms.from)} on${isNew ? '' : ': nothing to announce'}`,
  )
  if (isNew && terms.from > wanted.from)
    print('!', 'epochs that end before are paid only as far as the terms before cover them')
}

/** The terms of the version that waits for its epoch, from then on, or else of the one in force. */
async function readWanted(client: Wallet['client'], projectId: string) {
  const path = { project_id: projectId }
  const [{ items }, economics] = await Promise.all([
    client.call('GET /v1/projects/{project_id}/versions', { path, query: { limit: 100 } }),
    readEconomics(client, projectId),
  ])
  const { token } = economics
  const { address } = economics.vault
  const termsOf = (emission: string, epochSecs: number, epoch: number) => ({
    ...{ from: epochStart(epoch, epochSecs), epochSecs, epochCap: epochCap(emission, epochSecs) },
  })
  const waiting = items.find(({ status }) => status === 'registered')
  if (waiting === undefined || waiting.effective_epoch === null)
    return { address, token, wanted: termsOf(economics.daily_emission, economics.epoch_secs, 0) }
  const { signed_manifest } = await client.call('GET /v1/projects/{project_id}/versions/{version}', {
    path: { ...path, version: waiting.version },
  })
  const { work, economics: later } = signed_manifest.manifest.consensus
  return { address, token, wanted: termsOf(later.daily_emission, work.epoch_secs, waiting.effective_epoch) }
}
