import {
  attemptStart,
  attestEpochReceipt,
  buildEpochReceipt,
  capUnits,
  type EpochReceipt,
  hashEpochReceipt,
  leaderOfAttempt,
  sumUnits,
} from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import type { FinalityRecord } from '../../protocol/rounds/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import type { components } from '../../sdk/api.generated.ts'
import type { Network } from '../../sdk/network.ts'
import { signedByNode } from '../../sdk/node-requests.ts'
import type { Wallet } from '../../sdk/sign-in.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { expectRefusal, unprinted, waitForRecord } from '../printed-calls.ts'
import type { Work } from './committee.ts'
import { ensure, type MovableStage, passUntil } from './stage.ts'

type Body = components['schemas']['RewardReceiptV2']

/** What the final round of an epoch earns gets from the vault to the miner. */
export async function settleEpoch(
  stage: MovableStage,
  work: Work,
  wallet: Wallet,
  record: FinalityRecord,
): Promise<void> {
  const { network } = stage
  const receipt = await attestReceipt(stage, work, record)

  printStep('The hub posts the root to the vault of the project')
  const { merkle_root, settlement } = await waitForEpoch(network, receipt, 'settled')
  ensure(merkle_root === receipt.merkle_root, 'the posted root is the attested one')
  print('=', `root ${merkle_root} in transaction ${settlement?.tx_hash}`)

  printStep('The challenge period passes, in which an arbiter could veto the epoch')
  ensure(settlement?.claimable_at !== undefined, 'the hub says when the period ends')
  await passUntil(stage, settlement.claimable_at)
  await waitForEpoch(network, receipt, 'released')
  await claim(stage, wallet, receipt)
}

async function attestReceipt(stage: MovableStage, work: Work, record: FinalityRecord): Promise<EpochReceipt> {
  const { network } = stage
  const { epoch } = record
  const { epoch_secs } = work.consensus.work
  printStep(`Epoch ${epoch} ends: the validators compute what it pays, and attest that`)
  await passUntil(stage, attemptStart(epoch, epoch_secs, 0, defaultNetworkParams))
  const receipt = computeReceipt(network, work, record)
  const { units, gross, miner, developer, treasury } = receipt.totals
  print('·', `${units} units make ${inTokens(network, gross)}: to the miner ${inTokens(network, miner)},`)
  print(
    ' ',
    `to the developer ${inTokens(network, developer)}, to the treasury ${inTokens(network, treasury)}`,
  )
  const keys = work.validators.map(({ publicKey }) => publicKey)
  const leaderKey = leaderOfAttempt(keys, work.projectId, epoch, 0)
  const leader = work.validators.find(({ publicKey }) => publicKey === leaderKey)
  ensure(leader !== undefined, 'one of the validators leads the attempt')
  const path = '/v1/nodes/epoch-receipts'
  // The types of openapi-fetch want lists that may be changed.
  const body = receipt as EpochReceipt & Body
  const answer = await unwrap(
    network.client.POST(path, await signedByNode(network, leader.seed)('POST', path, body)),
  )
  ensure(answer.receipt_hash === receipt.receipt_hash, 'the hub computes the receipt alike')
  return receipt
}

/** As every validator computes it from the final records of the epoch. */
function computeReceipt(
  { profile }: Network,
  { projectId: project_id, consensus, validators }: Work,
  record: FinalityRecord,
): EpochReceipt {
  const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
  const earned = sumUnits([record], defaultNetworkParams.gas_per_unit)
  const units = capUnits(earned, max_recipients_per_epoch, max_units_per_epoch)
  const built = buildEpochReceipt(profile, { project_id, epoch: record.epoch, consensus, units })
  ensure(built !== null, 'the epoch pays something')
  const receipt_hash = hashEpochReceipt(built.body)
  return {
    ...built.body,
    receipt_hash,
    attestations: validators.map(({ seed }) => attestEpochReceipt(profile, seed, receipt_hash)),
  }
}

const waitForEpoch = (
  { client }: Network,
  { project_id, round: epoch }: EpochReceipt,
  expected: 'settled' | 'released',
) =>
  waitForRecord(
    `the epoch to be ${expected}`,
    () =>
      client.GET('/v1/explorer/epochs/{project_id}/{epoch}', {
        params: { path: { project_id, epoch } },
        ...unprinted,
      }),
    ({ status }) => status === expected,
  )

async function claim({ network }: MovableStage, wallet: Wallet, receipt: EpochReceipt): Promise<void> {
  printStep('The miner sees what it earned, and has the hub claim it: the hub pays for the transaction')
  const { client, address } = wallet
  const { project_id } = receipt
  const earned = receipt.compute_units.find(({ miner }) => miner === address)?.amount
  ensure(earned !== undefined, 'the epoch pays the miner')
  const before = await readBalance(wallet)
  const readClaims = async () =>
    (await unwrap(client.GET('/v1/me/claims', { params: { query: { project_id } } }))).items
  const claims = await readClaims()
  ensure(claims.length === 1 && claims[0]?.amount === earned, 'the miner can claim what the epoch pays it')
  const { items } = await unwrap(
    client.POST('/v1/me/withdrawals/claims', { body: { project_ids: [project_id] } }),
  )
  ensure(items.length === 1 && items[0]?.amount === earned, 'one withdrawal brings it')
  await waitForRecord(
    'the withdrawal to be completed',
    async () => {
      const { data, ...answer } = await client.GET('/v1/me/withdrawals', unprinted)
      return { ...answer, ...(data?.items[0] && { data: data.items[0] }) }
    },
    ({ status }) => status === 'completed',
  )
  const after = await readBalance(wallet)
  ensure(after - before === BigInt(earned), 'the wallet has what was earned')
  print('=', `${inTokens(network, before)} + ${inTokens(network, earned)} = ${inTokens(network, after)}`)
  const { totals } = await unwrap(client.GET('/v1/me/earnings', { params: { query: { period: '24h' } } }))
  ensure(
    totals.length === 1 && totals[0]?.amount === earned,
    'the earnings of the day are those of the epoch',
  )
  const { items: epochs } = await unwrap(
    client.GET('/v1/me/earnings/epochs', { params: { query: { project_id } } }),
  )
  ensure(epochs.length === 1 && epochs[0]?.status === 'claimed', 'the epoch is claimed')
  ensure((await readClaims()).length === 0, 'nothing is left to claim')
  await expectRefusal(client.POST('/v1/me/withdrawals/claims', { body: { project_ids: [project_id] } }), 409)
}

/** What the wallet itself holds. */
async function readBalance({ client }: Wallet): Promise<bigint> {
  const { hub_balance } = await unwrap(client.GET('/v1/me/collateral', unprinted))
  ensure(hub_balance !== null, 'the hub knows what the wallet holds')
  return BigInt(hub_balance)
}
