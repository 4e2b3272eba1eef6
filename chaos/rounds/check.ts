import type { FinalityRecord } from '../../protocol/rounds/index.ts'
import type { Schemas } from '../../sdk/index.ts'
import { Difference } from '../harness/difference.ts'
import { addFigures } from '../harness/figures.ts'
import { until } from '../harness/time.ts'
import type { Project } from '../network/projects.ts'
import type { EpochLedger } from './epochs.ts'
import type { RoundsNetwork } from './network.ts'
import type { ScenarioPlan } from './plan.ts'
import type { SimulatedMiner } from './simulator/miner.ts'
import type { TaskView } from './tasks.ts'
import type { ValidatorGroup } from './validator-group.ts'

export interface EndedTask {
  readonly plan: ScenarioPlan
  readonly input: string
  readonly task: TaskView
  /** By the clock of the process. */
  readonly givenAtMs: number
  readonly endedAtMs: number
}

type Tally = Readonly<Record<string, number>>

export const noCounts = {
  finalized: 0,
  by_committee: 0,
  /** Why validators ran the others: nobody could be drawn, members did not agree, or chance chose them. */
  by_validators: {} as Tally,
  failed: {} as Tally,
  credited: 0,
  /** Leases on which nobody voted in time, by reason. */
  missed: {} as Tally,
  /** Offences that the hub recorded, by kind. */
  offences: {} as Tally,
}

export type Counts = typeof noCounts

interface LeaseRow {
  readonly node_key: string
  readonly role: string
  readonly state: string
  readonly proof_status: string | null
  readonly missed_because: string | null
}

/** A network, with who its validators are and what its epochs come to. */
export interface CheckedNetwork extends RoundsNetwork {
  readonly group: ValidatorGroup
  readonly ledger: EpochLedger
  /** When a task was given last, by the clock of the process. */
  givenAtMs: number
}

/**
 * Compares the ended tasks of a turn with the conduct of every node.
 *
 * @param away The miner that was not there.
 * @throws {@link Difference}
 */
export async function checkTasks(
  network: CheckedNetwork,
  ended: readonly EndedTask[],
  before: Counts,
  away: SimulatedMiner | undefined,
): Promise<Counts> {
  const ids = new Set(ended.map(({ task }) => task.task_id))
  await requireNoneOpen(network, givenOf(before, ids.size))
  if (ids.size < ended.length) throw new Difference('two tasks have one id')
  await requireEachOnce(network, before, ids.size)
  const [refusal] = network.validators.refusals
  if (refusal !== undefined) throw new Difference(refusal)
  let counts = before
  for (const one of ended) {
    for (const miner of network.miners) if (miner === away || wasGone(miner, one)) owe(miner, one)
    counts = addFigures(counts, await checkTask(network, one))
  }
  await checkSums(network, counts)
  return { ...counts, missed: await countMissed(network), offences: await checkOffences(network) }
}

/** A node that was gone while a task was on its way may have missed its vote, also where it never heard of the task. */
const wasGone = ({ goneAtMs }: SimulatedMiner, { givenAtMs, endedAtMs }: EndedTask): boolean =>
  goneAtMs.some((ms) => ms >= givenAtMs && ms <= endedAtMs)

const owe = ({ owing }: SimulatedMiner, { task }: EndedTask): void => {
  if (task.round_id !== null) owing.add(task.round_id)
}

const givenOf = (before: Counts, ended: number): number =>
  before.finalized + Object.values(before.failed).reduce((sum, count) => sum + count, 0) + ended

/** Lists have a round some seconds after its end. */
const requireNoneOpen = ({ rows }: RoundsNetwork, given: number): Promise<void> =>
  until('every round is over in the database, and every offence is looked at', async () => {
    const open = await rows<object>(
      `SELECT round_id, state FROM rounds WHERE state NOT IN ('finalized', 'failed')
      UNION ALL SELECT round_id, 'offences' FROM round_offences LIMIT 5`,
    )
    const [found] = await rows<{ tasks: number }>(
      'SELECT count(*) + (SELECT count(*) FROM tasks WHERE round_id IS NULL) AS tasks FROM rounds',
    )
    return (open.length === 0 && (found?.tasks ?? 0) >= given) || JSON.stringify({ open, found, given })
  })

/** Each task exists once, and each round belongs to one task, although requests were repeated and processes ended. */
async function requireEachOnce({ rows }: RoundsNetwork, before: Counts, ended: number): Promise<void> {
  const [found] = await rows<{ tasks: number; rounds: number }>(
    `SELECT count(DISTINCT task_id) + waited AS tasks, count(*) + waited AS rounds
      FROM rounds, (SELECT count(*) AS waited FROM tasks WHERE round_id IS NULL)`,
  )
  const given = givenOf(before, ended)
  if (found?.tasks !== given || found.rounds !== given)
    throw new Difference(`${given} tasks were given; the hub has ${JSON.stringify(found)}`)
}

async function checkTask(network: CheckedNetwork, { task, input, plan }: EndedTask): Promise<Counts> {
  if (task.status === 'failed') {
    await checkFailure(network, task, plan)
    if (task.round_id !== null) network.ledger.note(projectOf(network, plan).projectId, task.epoch ?? 0, null)
    return { ...noCounts, failed: { [task.error ?? '']: 1 } }
  }
  if (task.output !== input || task.success !== true)
    throw new Difference(`${task.task_id} ended with ${task.output}, the honest result is ${input}`)
  const finality = await readFinality(network, task)
  const project = projectOf(network, plan)
  const isPaid = network.ledger.isPaid(project, finality.epoch, task.finalized_at ?? 0)
  network.ledger.note(project.projectId, finality.epoch, isPaid ? finality : null)
  const reason = network.validators.ran.get(task.round_id ?? '')
  return {
    ...noCounts,
    finalized: 1,
    by_committee: finality.audited ? 0 : 1,
    by_validators: finality.audited ? { [reason ?? '']: 1 } : {},
    credited: await checkCredits(network, task, finality),
  }
}

const projectOf = ({ projects }: RoundsNetwork, { project }: ScenarioPlan) => projects[project] as Project

/** A task fails where validators do not come back, and then nobody is credited. */
async function checkFailure(network: RoundsNetwork, task: TaskView, plan: ScenarioPlan): Promise<void> {
  if (!task.error) throw new Difference(`${task.task_id} failed without a reason`)
  const silent = plan.validators.filter((modes) => modes.at(-1) === 'silent').length
  if (task.error !== 'no_quorum' || silent < 2)
    throw new Difference(
      `${task.task_id} failed for ${task.error}, and ${plan.validators.length - silent} validators answered`,
    )
  const verified = (await leasesOf(network, task)).filter(({ proof_status }) => proof_status === 'verified')
  if (verified.length > 0)
    throw new Difference(`${task.round_id} failed, and somebody is credited: ${JSON.stringify(verified)}`)
}

async function readFinality(
  { hub, group, projects }: CheckedNetwork,
  { round_id, finalized_at }: TaskView,
): Promise<FinalityRecord> {
  const path = `/v1/explorer/rounds/${encodeURIComponent(round_id ?? '')}`
  const { finality, finality_votes = [], state } = await hub.expect<Schemas['Round']>(200, { path })
  if (finality === undefined || state !== 'finalized')
    throw new Difference(`${path} is ${state} and shows no finality`)
  const { epoch, project_id } = finality
  const epochSecs = projects.find(({ projectId }) => projectId === project_id)!.consensus.work.epoch_secs
  const voters = [...new Set(finality_votes.map(({ public_key }) => public_key))]
  group.requireQuorum(round_id ?? '', { epoch, epochSecs, finalizedAt: finalized_at ?? 0 }, voters)
  return finality
}

const leasesOf = ({ rows }: RoundsNetwork, { round_id }: TaskView) =>
  rows<LeaseRow>(
    'SELECT node_key, role, state, proof_status, missed_because FROM leases WHERE round_id = ?',
    round_id,
  )

/** Credited members voted for the result, once. Members whose right vote the hub said it stored are credited. */
async function checkCredits(
  network: RoundsNetwork,
  task: TaskView,
  { voters, receipt_hash }: FinalityRecord,
): Promise<number> {
  const roundId = task.round_id ?? ''
  const leases = await leasesOf(network, task)
  const credited = voters.map(({ public_key }) => public_key).sort()
  if (new Set(credited).size < credited.length) throw new Difference(`${roundId}: somebody is credited twice`)
  for (const { publicKey, voted, stored, guilty } of network.miners) {
    const isCredited = credited.includes(publicKey)
    if (isCredited && !voted.get(roundId)?.has(receipt_hash))
      throw new Difference(`${roundId}: ${publicKey} is credited and did not vote for the result`)
    if (!isCredited && stored.has(roundId) && !guilty.has(roundId))
      throw new Difference(`${roundId}: ${publicKey} voted for the result and is not credited`)
  }
  const verified = leases
    .filter(({ proof_status }) => proof_status === 'verified')
    .map(({ node_key }) => node_key)
    .sort()
  if (verified.join() !== credited.join())
    throw new Difference(`${roundId}: proofs of ${verified} are verified, and ${credited} are credited`)
  const open = leases.filter(({ state }) => state === 'offered' || state === 'leased')
  if (open.length > 0) throw new Difference(`${roundId}: leases are open: ${JSON.stringify(open)}`)
  return credited.length
}

/**
 * The sums that the hub made while rounds ended are those of their proofs: nothing was added twice, or not at all. Credits of
 * single addresses are compared with the records when their epoch is paid.
 */
async function checkSums({ rows }: RoundsNetwork, { credited }: Counts): Promise<void> {
  const [sums] = await rows<Record<string, number | null>>(
    `SELECT (SELECT sum(credited_rounds) FROM subscriptions) AS rounds,
      (SELECT count(*) FROM leases WHERE proof_status = 'verified') AS proofs,
      (SELECT sum(units) FROM epoch_rounds) AS units,
      (SELECT sum(units) FROM leases WHERE proof_status = 'verified') AS proven_units`,
  )
  const { rounds, proofs, units, proven_units } = sums ?? {}
  if (rounds !== credited || proofs !== credited || units !== proven_units)
    throw new Difference(`members were credited ${credited} times; the hub has ${JSON.stringify(sums)}`)
}

async function countMissed({ rows }: RoundsNetwork): Promise<Record<string, number>> {
  const counted = await rows<{ reason: string; count: number }>(
    'SELECT missed_because AS reason, count(*) AS count FROM leases WHERE missed_because IS NOT NULL GROUP BY 1',
  )
  return Object.fromEntries(counted.map(({ reason, count }) => [reason, count]))
}

/**
 * Members that are blamed voted for a wrong result or for two, or missed their vote by their own doing. A member that
 * only lost its connection for a moment, or the hub itself, is not blamed.
 */
async function checkOffences({ rows, miners }: RoundsNetwork): Promise<Record<string, number>> {
  const byId = new Map(miners.map((miner) => [miner.nodeId, miner]))
  const counts: Record<string, number> = {}
  const slashes = await rows<Record<string, string>>('SELECT kind, round_id, node_id FROM slashes')
  for (const { kind = '', round_id = '', node_id = '' } of slashes) {
    const miner = byId.get(node_id)
    const isGuilty = kind === 'missed_sla' ? miner?.owing.has(round_id) : miner?.guilty.has(round_id)
    if (!isGuilty) {
      const leases = await rows<LeaseRow>('SELECT * FROM leases WHERE round_id = ?', round_id)
      throw new Difference(
        `${node_id} is blamed for ${kind} in ${round_id}, and is innocent: ${JSON.stringify({ leases, journal: miner && journalOf(miner, round_id) }, null, 1)}`,
      )
    }
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** The frames of a miner about a round, and the state of its connections meanwhile. */
function journalOf({ journal }: SimulatedMiner, roundId: string): string[] {
  const own = journal.filter((entry) => entry.roundId === roundId)
  const [firstMs, lastMs] = [
    own[0]?.ms ?? (journal.at(-1)?.ms ?? 0) - 60_000,
    own.at(-1)?.ms ?? Number.POSITIVE_INFINITY,
  ]
  const isNear = ({ ms }: { ms: number }) => ms > firstMs - 20_000 && ms < lastMs + 20_000
  return journal
    .filter((entry) => entry.roundId === roundId || (entry.roundId === null && isNear(entry)))
    .map(({ ms, text }) => `${ms}: ${text}`)
}
