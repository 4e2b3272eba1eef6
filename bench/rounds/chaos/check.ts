import type { FinalityRecord } from '../../../protocol/consensus/index.ts'
import { Difference, until } from '../../settlement/chaos/difference.ts'
import type { Project } from '../../settlement/chaos/project.ts'
import type { RoundsNetwork } from '../network.ts'
import type { SimulatedMiner } from '../simulator/miner.ts'
import type { TaskView } from '../tasks.ts'

/** A task that is over, and what it was given. */
export interface EndedTask {
  readonly project: Project
  readonly input: string
  readonly task: TaskView
}

/** What came of tasks. */
export interface Counts {
  readonly finalized: number
  readonly failed: number
  readonly run_by_validators: number
  /** Members that were credited. */
  readonly credited: number
  /** Leases on which nobody voted in time, by reason. */
  readonly missed: Readonly<Record<string, number>>
  /** Offences that the hub recorded, by kind. */
  readonly offences: Readonly<Record<string, number>>
}

export const noCounts: Counts = {
  finalized: 0,
  failed: 0,
  run_by_validators: 0,
  credited: 0,
  missed: {},
  offences: {},
}

interface RoundView {
  readonly state: string
  readonly audited: boolean
  readonly finality?: FinalityRecord
}

interface LeaseRow {
  readonly node_key: string
  readonly state: string
  readonly proof_status: string | null
  readonly receipt_hash: string | null
}

interface SlashRow {
  readonly kind: string
  readonly round_id: string
  readonly node_id: string
}

/** Holds ended tasks against what everybody did. @throws {@link Difference} */
export async function checkTasks(
  network: RoundsNetwork,
  ended: readonly EndedTask[],
  before: Counts,
): Promise<Counts> {
  const { rows } = network
  await until('no round is open', async () => {
    const open = await rows<{ round_id: string; state: string }>(
      "SELECT round_id, state FROM rounds WHERE state NOT IN ('finalized', 'failed') LIMIT 5",
    )
    return open.length === 0 || JSON.stringify(open)
  })
  const ids = ended.map(({ task }) => task.task_id)
  if (new Set(ids).size < ids.length) throw new Difference('two tasks have one id')
  const byKey = new Map(network.miners.map((miner) => [miner.publicKey, miner]))
  const counts = { ...before, offences: { ...before.offences } }
  for (const { task, input } of ended) {
    if (task.status === 'failed') {
      if (!task.error) throw new Difference(`${task.task_id} failed without a reason`)
      counts.failed += 1
      await checkNobodyIsCredited(network, task)
      continue
    }
    if (task.output !== input || task.success !== true)
      throw new Difference(`${task.task_id} ended with ${task.output}, the honest result is ${input}`)
    counts.finalized += 1
    const finality = await readFinality(network, task)
    if (finality.audited) counts.run_by_validators += 1
    counts.credited += checkCredits(task, finality, await leasesOf(network, task), byKey)
  }
  counts.missed = await countMissed(network)
  counts.offences = await checkOffences(network)
  return counts
}

async function readFinality({ hub }: RoundsNetwork, { round_id }: TaskView): Promise<FinalityRecord> {
  const path = `/v1/explorer/rounds/${encodeURIComponent(round_id ?? '')}`
  const { finality, state } = await hub.expect<RoundView>(200, { path })
  if (finality === undefined || state !== 'finalized')
    throw new Difference(`${path} is ${state} and shows no finality`)
  return finality
}

const leasesOf = ({ rows }: RoundsNetwork, { round_id }: TaskView) =>
  rows<LeaseRow>(
    'SELECT node_key, state, proof_status, receipt_hash FROM leases WHERE round_id = ?',
    round_id,
  )

/** Whoever is credited voted for the result, and is credited once. */
function checkCredits(
  { round_id }: TaskView,
  { voters, receipt_hash }: FinalityRecord,
  leases: readonly LeaseRow[],
  byKey: ReadonlyMap<string, SimulatedMiner>,
): number {
  const credited = voters.map(({ public_key }) => public_key)
  if (new Set(credited).size < credited.length)
    throw new Difference(`${round_id}: somebody is credited twice`)
  for (const key of credited)
    if (
      !byKey
        .get(key)
        ?.voted.get(round_id ?? '')
        ?.has(receipt_hash)
    )
      throw new Difference(`${round_id}: ${key} is credited and did not vote for the result`)
  const verified = leases
    .filter(({ proof_status }) => proof_status === 'verified')
    .map(({ node_key }) => node_key)
  const [a, b] = [verified.sort().join(), [...credited].sort().join()]
  if (a !== b) throw new Difference(`${round_id}: proofs of ${a} are verified, and ${b} are credited`)
  const open = leases.filter(({ state }) => state === 'offered' || state === 'leased')
  if (open.length > 0) throw new Difference(`${round_id}: leases are open: ${JSON.stringify(open)}`)
  return credited.length
}

async function checkNobodyIsCredited(network: RoundsNetwork, task: TaskView): Promise<void> {
  if (task.round_id === null) return
  const verified = (await leasesOf(network, task)).filter(({ proof_status }) => proof_status === 'verified')
  if (verified.length > 0)
    throw new Difference(`${task.round_id} failed, and somebody is credited: ${JSON.stringify(verified)}`)
}

async function countMissed({ rows }: RoundsNetwork): Promise<Record<string, number>> {
  const counted = await rows<{ reason: string; count: number }>(
    'SELECT missed_because AS reason, count(*) AS count FROM leases WHERE missed_because IS NOT NULL GROUP BY 1',
  )
  return Object.fromEntries(counted.map(({ reason, count }) => [reason, count]))
}

/** Whoever is blamed did it: a wrong or a second vote, or a vote that the hub never said it stored. */
async function checkOffences({ rows, miners }: RoundsNetwork): Promise<Record<string, number>> {
  const byId = new Map(miners.map((miner) => [miner.nodeId, miner]))
  const counts: Record<string, number> = {}
  for (const { kind, round_id, node_id } of await rows<SlashRow>(
    'SELECT kind, round_id, node_id FROM slashes',
  )) {
    const miner = byId.get(node_id)
    const isGuilty =
      kind === 'missed_sla' ? !miner?.stored.has(round_id) : miner?.guilty.has(round_id) === true
    if (!isGuilty) throw new Difference(`${node_id} is blamed for ${kind} in ${round_id}, and is innocent`)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
