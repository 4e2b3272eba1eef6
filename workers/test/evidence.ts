import { env } from 'cloudflare:workers'
import { hashText } from '../../protocol/encoding/index.ts'
import { type ExecutionReceipt, hashReceipt } from '../../protocol/execution/index.ts'
import { deriveSubscriptionId, deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import { createFinalityVote, createTaskVote, type Task } from '../../protocol/rounds/index.ts'
import { type Evidence, hashEvidence, type Offence } from '../../protocol/slashing/index.ts'
import { services } from '../services.ts'
import { createMiner, createNode, networkNow, type TestNode } from './callers.ts'
import { client } from './client.ts'
import type { ManifestChange } from './project.ts'
import { createRunningProject, minCollateral } from './subscription.ts'
import { rowOf, runSql } from './tables.ts'
import { addValidators } from './validators.ts'

const profile = resolveProfile()
const epochSecs = 3_600

let seqs = 0

/** Validators beside those that there are, ascending by key. */
export async function createValidators(count: number): Promise<TestNode[]> {
  const nodes = Array.from({ length: count }, () => createNode())
  await addValidators(nodes)
  return nodes.sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1))
}

/** Puts the first version of a project in force, without the registry. @returns The hash of its consensus. */
export async function publishConsensus(projectId: string): Promise<string> {
  const row = await rowOf<{ consensus_hash: string }>(
    "UPDATE project_versions SET status = 'active' WHERE project_id = ? RETURNING consensus_hash",
    projectId,
  )
  return row?.consensus_hash ?? ''
}

type SubscriptionKeys = Record<'subscriptionId' | 'projectId' | 'owner' | 'nodeId' | 'nodeKey', string>

/** Inserts the hub's row of a subscription. */
const subscriptionStatement = ({ subscriptionId, projectId, owner, nodeId, nodeKey }: SubscriptionKeys) =>
  env.DB.prepare(
    `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, reputation, credited_rounds,
      missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, ?, 0, 5000, 0, 0, 0, 1)`,
  ).bind(subscriptionId, projectId, owner, nodeId, nodeKey)

export const insertSubscription = (keys: SubscriptionKeys) => subscriptionStatement(keys).run()

/** A miner whose device is bound and subscribed to a project, without the way there. */
export async function createSubscribed(projectId: string) {
  let subscriptionId = ''
  const miner = await createMiner(({ address: owner }, { nodeId, publicKey: nodeKey }) => {
    subscriptionId = deriveSubscriptionId(projectId, owner, nodeKey)
    return [subscriptionStatement({ subscriptionId, projectId, owner, nodeId, nodeKey })]
  })
  return { ...miner, subscriptionId }
}

/** Writes the indexed state of a subject, as of a block. */
export const indexState = (
  kind: 'project' | 'subscription' | 'slash',
  subject: string,
  state: object,
  block = 7,
) =>
  runSql(
    'INSERT OR REPLACE INTO chain_states (kind, subject, state, block_number) VALUES (?, ?, ?, ?)',
    kind,
    subject,
    JSON.stringify(state),
    block,
  )

/** Has the index, where it has not begun, have what the chain has. */
export const indexWholeChain = () =>
  runSql(`INSERT OR IGNORE INTO chain_cursor (id, block_number, block_hash, final_number, final_hash, updated_at)
    VALUES (1, 8, '0x08', 7, '0x07', 1)`)

/** Has the index have blocks that are final up to a number; it may be far behind the chain. */
export const indexUpTo = (final: number, isBehind = false) =>
  runSql(
    `INSERT OR REPLACE INTO chain_cursor (id, block_number, block_hash, final_number, final_hash, is_behind, updated_at)
      VALUES (1, 8, '0x08', ?, '0x07', ?, 1)`,
    final,
    Number(isBehind),
  )

/** A miner whose node is subscribed to a project, and bonded as the index says; without the way there. */
export async function createAccused({
  collateral = minCollateral,
  project = {},
}: {
  collateral?: bigint
  project?: ManifestChange
} = {}) {
  const { projectId, consensusHash } = await createRunningProject(project)
  const { owner, device, subscriptionId } = await createSubscribed(projectId)
  await indexState('subscription', subscriptionId, bonded(collateral, owner.address))
  await indexWholeChain()
  const now = await networkNow()
  const accusations = accusationsOf({ projectId, consensusHash, device, subscriptionId, now })
  return { ...accusations, owner, device, projectId }
}

export const bonded = (collateral: bigint, owner: string) => ({
  status: 'bonded',
  owner,
  collateral: String(collateral),
  payout: owner,
  started_at: 1,
  release_at: null,
  slashed_total: '0',
})

/** Another task of a project in an epoch. */
export const taskOf = (
  { projectId, consensusHash }: Record<'projectId' | 'consensusHash', string>,
  epoch: number,
  change: Partial<Task> = {},
): Task => ({
  ...{ v: 1, project_id: projectId, consensus_hash: consensusHash, epoch, seq: ++seqs },
  ...{ set_hash: hashText('set'), module_address: hashText('module'), function: 'echo' },
  ...{ input_hash: hashText('input'), gas_limit: 1_000_000, issued_at: epoch * epochSecs },
  ...change,
})

/** The receipt that a member claims for a task. */
export const receiptOn = (task: Task, output: string, gasUsed = 5): ExecutionReceipt => ({
  ...{ v: 1, module_address: task.module_address, function: task.function, input_hash: task.input_hash },
  ...{ output_hash: hashText(output), events_hash: hashText('[]'), gas_used: gasUsed, success: true },
})

/** Votes, records and evidence about a node in the epoch that runs at a time. */
export function accusationsOf({
  projectId,
  consensusHash,
  device,
  subscriptionId,
  now,
}: {
  projectId: string
  consensusHash: string
  device: TestNode
  subscriptionId: string
  now: number
}) {
  const epoch = Math.floor(now / epochSecs)
  const createTask = (change: Partial<Task> = {}): Task => taskOf({ projectId, consensusHash }, epoch, change)
  const vote = (task: Task, output: string, voter: Pick<TestNode, 'key'> = device) =>
    createTaskVote(profile, voter.key, {
      task,
      receipt: receiptOn(task, output),
      payout_address: `0x${'0f'.repeat(20)}`,
      position: 0,
    })
  const record = (task: Task, output: string, change: object = {}) => ({
    v: 1 as const,
    round_id: deriveTaskRoundId(task),
    project_id: projectId,
    epoch,
    set_hash: task.set_hash,
    receipt_hash: hashReceipt(receiptOn(task, output)),
    gas_used: 5,
    audited: true,
    voters: [],
    ...change,
  })
  const finality = (validators: readonly TestNode[], decided: ReturnType<typeof record>) =>
    validators.map(({ key }) => createFinalityVote(profile, key, decided))
  const evidence = (kind: Offence, task: Task, proof: Record<string, unknown>, change: object = {}) =>
    ({
      v: 1,
      kind,
      project_id: projectId,
      epoch,
      round_id: deriveTaskRoundId(task),
      subscription_id: subscriptionId,
      node_key: device.publicKey,
      consensus_hash: consensusHash,
      proof,
      ...change,
    }) as Evidence
  /** Two votes of one task. */
  const equivocation = (task = createTask(), outputs: readonly [string, string] = ['one', 'two']) =>
    evidence('equivocation', task, { first: vote(task, outputs[0]), second: vote(task, outputs[1]) })
  return { subscriptionId, epoch, createTask, vote, record, finality, evidence, equivocation }
}

export type Accused = Awaited<ReturnType<typeof createAccused>>

/** An offence that is recorded, and proposed as the index says. */
export async function createProposed(accused: Accused, state: object = {}): Promise<string> {
  const evidence = accused.equivocation()
  const response = await client().post('/v1/slashes', evidence)
  if (response.status !== 201) throw new Error(await response.text())
  const hash = hashEvidence(evidence)
  await indexState('slash', hash, {
    subscription_id: accused.subscriptionId,
    amount: String(minCollateral),
    executable_at: (await networkNow()) + 3_600,
    propose_tx: hashText('transaction'),
    status: 'proposed',
    ...state,
  })
  return hash
}

/** Changes members of the indexed state of a slash; the others stay. */
export async function indexSlash(hash: string, change: object): Promise<void> {
  const state = await services(env).chainIndex.state('slash', hash)
  await indexState('slash', hash, { ...state, ...change })
}

export const hubAction = (
  kind: Parameters<ReturnType<typeof services>['hubActions']['find']>[0],
  subject: string,
) => services(env).hubActions.find(kind, subject)
