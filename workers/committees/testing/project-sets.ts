import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, vi } from 'vitest'
import {
  attestSnapshot,
  beaconTargetTime,
  hashSnapshot,
  type Snapshot,
} from '../../../protocol/committees/index.ts'
import { hashText } from '../../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  deriveSubscriptionId,
  resolveProfile,
} from '../../../protocol/identity/index.ts'
import { type Env, readSettings } from '../../env.ts'
import { services } from '../../services.ts'
import { createNode, type TestNode } from '../../test/callers.ts'
import { type Happening, IndexedHistory } from '../../test/indexed-history.ts'
import { ScriptedBlocks } from '../../test/scripted-blocks.ts'
import { createListedProject, minCollateral } from '../../test/subscription.ts'
import { emptyTables, runSql } from '../../test/tables.ts'
import { addValidators } from '../../test/validators.ts'
import { ProjectSets } from '../project-sets.ts'

export const profile = resolveProfile()
export const seed = `0x${'5e'.repeat(32)}`
export const hub: Env = { ...env, COORDINATOR_SEED: seed }

/** In the next hour, so that no alarm of these tests is due by the clock of the machine. */
export const epoch = Math.floor(Date.now() / 3_600_000) + 2
export const now = epoch * 3_600 + 1_000
export const target = beaconTargetTime(epoch, 3_600, defaultNetworkParams)
/** Blocks up to this one are before the target. */
export const beaconBlock = 20
const timeOf = (number: number) => target + 12 * (number - beaconBlock) - 1

export const chain = new ScriptedBlocks()
export let history: IndexedHistory
export let project: string

/** A listed project, and a chain that has begun, for each test of a file. */
export function testSets(): void {
  beforeEach(beginTest)
  afterEach(() => vi.useRealTimers())
}

async function beginTest(): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now * 1000)
  chain.hosts.clear()
  chain.down = false
  chain.install()
  await emptyTables(
    'beacons',
    'committee_sets',
    'committee_set_attestations',
    'epochs_without_set',
    'nodes',
    'validator_generations',
    'devices',
    'subscriptions',
  )
  await emptyTables('chain_cursor', 'chain_blocks', 'chain_events', 'chain_states', 'chain_states_before')
  project = await createListedProject({ economics: { min_collateral: String(minCollateral) } })
  history = new IndexedHistory()
  await history.begin({ number: 0, hash: hashText('first'), timestamp: timeOf(0) })
}

export const advance = (projectId = project, bound = hub) =>
  new ProjectSets(services(bound), readSettings(bound)).advance(projectId)

export const setListing = (status: string) =>
  runSql('UPDATE projects SET listing_status = ? WHERE project_id = ?', status, project)

export const find = (projectId = project) => services(env).committeeSets.find(projectId, epoch)

export async function readSet(): Promise<Snapshot> {
  const set = await find()
  if (set === null) throw new Error('there is no set')
  return services(env).committeeSets.readSnapshot(set.setHash)
}

export interface Miner {
  owner: string
  key: string
  id: string
}

export const minerAt = (i: number): Miner => {
  const owner = `0x${(0xa0 + i).toString(16).padStart(40, '0')}`
  const key = hashText(`node ${i}`)
  return { owner, key, id: deriveSubscriptionId(project, owner, key) }
}

/** The hub's rows of a miner, with a bound device. */
export async function subscribe(
  { owner, key, id }: Miner,
  { pausedAt = null as number | null } = {},
): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at) VALUES (?1, ?1, ?2, ?3, 1)`,
    ).bind(key, owner, hashText(`binding ${key}`)),
    env.DB.prepare(
      `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, paused_at, reputation,
        credited_rounds, missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, ?, 0, ?, 5000, 0, 0, 0, 1)`,
    ).bind(id, project, owner, key, key, pausedAt),
  ])
}

export const bonded = ({ owner, key, id }: Miner, collateral: bigint): Happening => ({
  name: 'Bonded',
  args: {
    ...{ subscriptionId: id, owner, projectId: project, nodeKey: key },
    ...{ amount: '1', collateral: String(collateral) },
  },
})
export const payoutSet = ({ id }: Miner, payout: string): Happening => ({
  name: 'PayoutSet',
  args: { subscriptionId: id, payout },
})
export const slashed = ({ id }: Miner, amount: bigint, i: number): Happening => ({
  name: 'SlashExecuted',
  args: { subscriptionId: id, evidenceHash: hashText(`evidence ${i}`), amount: String(amount) },
})
export const unbonding = ({ id }: Miner): Happening => ({
  name: 'Unbonding',
  args: { subscriptionId: id, releaseAt: '9999999999' },
})

/** Appends blocks up to a number, each with what happens in it; all of them final unless a number says otherwise. */
export async function happen(
  events: Readonly<Record<number, Happening[]>>,
  to = beaconBlock + 5,
  final?: number,
): Promise<void> {
  const next = (history.blocks.at(-1)?.number ?? 0) + 1
  const numbers = Array.from({ length: to + 1 - next }, (_, i) => next + i)
  await history.appendAll(
    numbers.map((number) => ({ timestamp: timeOf(number), happenings: events[number] ?? [] })),
    Math.min(final ?? to, to),
  )
  chain.serve(history.blocks)
}

/** A further validator at a host of its own, which attests what it is asked to. */
export async function addValidator(i: number): Promise<TestNode & { host: string }> {
  const node = createNode()
  const host = `validator-${i}.example`
  await addValidators([{ ...node, url: `https://${host}/hub/` }])
  chain.hosts.set(host, answerOf(node))
  return { ...node, host }
}

export const answerOf = (node: TestNode) => async (request: Request) =>
  Response.json(attest(node, (await request.json()) as Snapshot))

/** Keeps an attestation as the call of the validator does. */
export async function attestAs(node: TestNode): Promise<void> {
  const attestation = { publicKey: node.publicKey, signature: attest(node, await readSet()).signature }
  await services(env).committeeSets.attest({ projectId: project, epoch }, [attestation], now)
}

export const attest = ({ key }: TestNode, snapshot: Snapshot) =>
  attestSnapshot(profile, key, hashSnapshot(snapshot))
