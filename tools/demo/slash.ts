import type { Snapshot } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { hashConsensus } from '../../protocol/manifest/index.ts'
import { createTaskVote } from '../../protocol/rounds/index.ts'
import { type Evidence, hashEvidence } from '../../protocol/slashing/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { HubError } from '../../sdk/connect.ts'
import type { Wallet } from '../../sdk/sign-in.ts'
import { waitFor } from '../../sdk/wait.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { printedRelay, unprinted, waitForRecord } from '../printed-calls.ts'
import type { Work } from './committee.ts'
import type { Miner } from './miner.ts'
import { openRound, voteOf } from './round.ts'
import { ensure, type MovableStage, passUntil } from './stage.ts'

/** What the contracts add to the window, for disputes that were sent in time. */
const graceSecs = 15 * 60

/** The first device votes twice in one round, and the collateral of its owner answers for it. */
export async function slashFirstDevice(
  stage: MovableStage,
  work: Work,
  { wallet, devices: [device] }: Miner,
  operator: Wallet,
  snapshot: Snapshot,
  module: string,
): Promise<void> {
  const evidence = await voteTwice(stage, work, device, snapshot, module)
  const evidence_hash = hashEvidence(evidence)
  const params = { path: { evidence_hash } }
  const read = () => stage.network.client.GET('/v1/slashes/{evidence_hash}', { params, ...unprinted })

  printStep('Anybody posts the two votes as evidence; the hub proposes the slash on the chain')
  const posted = await unwrap(stage.network.client.POST('/v1/slashes', { body: evidence }))
  ensure(posted.evidence_hash === evidence_hash, 'the hub records the evidence under its hash')
  const recorded = await unwrap(read())
  print('·', `${recorded.bp / 100} % of the collateral: ${inTokens(stage.network, recorded.amount)}`)
  const proposed = await waitForRecord(
    'the slash to be proposed',
    read,
    ({ status, executable_at }) => status === 'proposed' && executable_at !== null,
  )
  ensure(proposed.recovery === 'dispute', 'the owner can dispute the slash')

  printStep('The owner sees it, and disputes it in time')
  await unwrap(wallet.client.GET('/v1/me/slashes'))
  const disputed = await unwrap(
    wallet.client.POST('/v1/slashes/{evidence_hash}/disputes', {
      params,
      body: { reason: 'Somebody copied the key of my device.', links: [] },
    }),
  )
  ensure(disputed.status === 'disputed', 'the slash is disputed')

  printStep('An operator decides against the dispute, as the arbiter of the chain')
  await uphold(operator, evidence_hash)
  await waitForRecord('the decision to be indexed', read, ({ dispute }) => dispute?.outcome === 'upheld')

  printStep('The window passes, and the hub executes the slash')
  await passUntil(stage, (proposed.executable_at ?? 0) + graceSecs + 1)
  const { taken, recovery } = await waitForRecord(
    'the slash to be executed',
    read,
    ({ status }) => status === 'executed',
  )
  ensure(taken === recorded.amount && recovery === 'top_up', 'the amount was taken, and more is asked for')
  const jailed = await unwrap(
    stage.network.client.GET('/v1/subscriptions/{subscription_id}', {
      params: { path: { subscription_id: device.subscriptionId } },
    }),
  )
  const left = String(BigInt(snapshotCollateral(snapshot, device.publicKey)) - BigInt(taken))
  ensure(jailed.status === 'jailed' && jailed.collateral === left, 'the subscription is jailed')
  print('=', `jailed: ${inTokens(stage.network, left)} are left of the collateral`)
}

/** Two votes of one device in one round, which is an offence that anybody can prove. */
async function voteTwice(
  stage: MovableStage,
  work: Work,
  device: Miner['devices'][0],
  snapshot: Snapshot,
  module: string,
): Promise<Evidence> {
  printStep('Another task: the first device signs two different results')
  const round = await openRound(stage, work, snapshot)
  const first = await voteOf(stage, round, device, module)
  const { task, receipt, payout_address, committee } = first
  const other = { ...receipt, output_hash: hashText('another result') }
  const content = { task, receipt: other, payout_address, position: committee.position }
  const second = createTaskVote(stage.network.profile, device.seed, content)
  for (const vote of [first, second]) print('✎', `vote for ${vote.receipt_hash}`)
  return {
    v: 1,
    kind: 'equivocation',
    project_id: work.projectId,
    epoch: task.epoch,
    round_id: deriveTaskRoundId(task),
    subscription_id: device.subscriptionId,
    node_key: device.publicKey,
    consensus_hash: hashConsensus(work.consensus),
    proof: { first, second },
  }
}

/** The hub takes the decision once the chain has the dispute. */
async function uphold({ client }: Wallet, evidence_hash: string): Promise<void> {
  const decide = (printing: object = {}) =>
    client.POST('/admin/v1/slashes/{evidence_hash}/resolve', {
      params: { path: { evidence_hash } },
      body: { decision: 'uphold', notes: 'Both votes are of the key of this device.' },
      ...printing,
    })
  await waitFor(
    'the dispute to be on the chain',
    async () => {
      const { error, response } = await decide(unprinted)
      if (response.ok) return null
      if (response.status === 409) return error
      throw new HubError(`the decision was answered with ${response.status}: ${JSON.stringify(error)}`)
    },
    (refusal) => refusal === null,
  )
  // Deciding the same again changes nothing, and shows what is decided.
  await unwrap(decide())
}

const snapshotCollateral = ({ entries }: Snapshot, key: string): string =>
  entries.find(({ node_key }) => node_key === key)?.collateral ?? '0'

/** The owner adds what the project asks for, and the device works again. */
export async function topUp(
  { network }: MovableStage,
  { projectId, consensus }: Work,
  { wallet, devices: [{ publicKey: nodeKey, subscriptionId: subscription_id }] }: Miner,
): Promise<void> {
  printStep('The owner tops the collateral up, by signature')
  const { client, address: owner } = wallet
  const params = { path: { subscription_id } }
  const amount = consensus.economics.min_collateral
  const payload = await unwrap(
    client.POST('/v1/subscriptions/{subscription_id}/bond-payload', { params, body: { amount } }),
  )
  await printedRelay(network, wallet, payload, { owner, projectId, nodeKey, amount }, (body) =>
    unwrap(client.POST('/v1/subscriptions/{subscription_id}/bond', { params, body })),
  )
  const { collateral } = await waitForRecord(
    'the subscription to be active again',
    () => client.GET('/v1/subscriptions/{subscription_id}', { params, ...unprinted }),
    ({ status }) => status === 'active',
  )
  print('=', `active again with ${inTokens(network, collateral)}`)
}
