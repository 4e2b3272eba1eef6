import { attemptStart } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { readBalance } from '../../sdk/balance.ts'
import type { Network } from '../../sdk/network.ts'
import type { Wallet } from '../../sdk/sign-in.ts'
import { waitFor } from '../../sdk/wait.ts'
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
  const read = () => network.client.GET('/v1/explorer/epochs/{project_id}/{epoch}', { params })
  const { settlement, totals, receipt } = await waitForRecord(
    'the epoch to be settled',
    read,
    ({ status }) => status === 'settled',
  )
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
  await waitForRecord('the epoch to be released', read, ({ status }) => status === 'released')
  const before = await knownBalance(network, miner)
  const claims = await unwrap(miner.client.POST('/v1/me/withdrawals/claims', { body: {} }))
  ensure(claims.items.length === 1 && claims.items[0]?.amount === earned, 'one withdrawal pays the epoch')
  await waitFor(
    'the claim to be mined',
    () => unwrap(miner.client.GET('/v1/me/withdrawals')),
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
