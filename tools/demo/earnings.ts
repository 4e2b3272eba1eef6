import { attemptStart } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { readBalance } from '../../scripts/hub/balance.ts'
import type { Network } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import type { Wallet } from '../../scripts/hub/wallet.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { waitForRecord } from '../printed-calls.ts'
import { ensure, passUntil, type Stage } from './stage.ts'

/** Shows how an epoch is paid. @returns What the miner claimed, in base units. */
export async function showEarnings(stage: Stage, miner: Wallet, epoch: number): Promise<string> {
  const { network, projectId, epochSecs } = stage
  printStep(`Epoch ${epoch} ends: the validators compute and attest what it pays, and the hub posts it`)
  await passUntil(stage, attemptStart(epoch, epochSecs, 0, defaultNetworkParams))
  const params = { path: { project_id: projectId, epoch } }
  const waitForEpoch = (what: string, wanted: string) =>
    waitForRecord(
      what,
      network,
      'GET /v1/explorer/epochs/{project_id}/{epoch}',
      params,
      ({ status }) => status === wanted,
    )
  const { settlement, totals, receipt } = await waitForEpoch('the epoch to be settled', 'settled')
  ensure(settlement?.claimable_at !== undefined && totals !== undefined, 'the epoch pays')
  const { units, gross, miner: earned, developer, treasury } = totals
  print('·', `${units} units pay ${inTokens(network, gross)}: to the miner ${inTokens(network, earned)},`)
  print(
    ' ',
    `to the developer ${inTokens(network, developer)}, to the treasury ${inTokens(network, treasury)}`,
  )
  print('=', `${receipt?.attestations.length} attestations`)

  printStep('The challenge period passes, and the miner claims: the hub pays for the transaction')
  await passUntil(stage, settlement.claimable_at)
  await waitForEpoch('the epoch to be released', 'released')
  const before = await knownBalance(network, miner)
  const claims = await miner.client.call('POST /v1/me/withdrawals/claims', { body: {} })
  ensure(claims.items.length === 1 && claims.items[0]?.amount === earned, 'one withdrawal pays the epoch')
  await waitFor(
    'the claim to be mined',
    () => miner.client.call('GET /v1/me/withdrawals'),
    ({ items }) => items.some(({ kind, status }) => kind === 'claim' && status === 'completed'),
  )
  const after = await knownBalance(network, miner)
  ensure(after - before === BigInt(earned), 'the wallet has what the epoch pays')
  print('=', `${inTokens(network, before)} + ${inTokens(network, earned)} = ${inTokens(network, after)}`)
  return earned
}

async function knownBalance(network: Network, wallet: Wallet): Promise<bigint> {
  const balance = await readBalance(network, wallet)
  ensure(balance !== null, 'the hub knows the balance of the wallet')
  return BigInt(balance)
}
