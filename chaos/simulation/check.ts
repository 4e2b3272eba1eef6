import { defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import type { PublishedRound } from '../../workers/stores/rounds.ts'
import type { LeaseRow } from '../../workers/stores/schema/index.ts'
import { Difference } from '../harness/difference.ts'
import { journalMax, type SimulatedMiner } from './miner.ts'
import { epochSecs, laterParams, roundSecs } from './people.ts'
import type { Plan } from './plan.ts'
import type { RecordedEnd } from './records.ts'
import { honestResult } from './results.ts'
import type { World } from './world.ts'

export interface SubmittedTask {
  readonly taskId: string
  readonly input: string
}

/** Checks the invariants of every scenario. @throws {@link Difference} */
export function checkOutcome(world: World, plan: Plan, tasks: readonly SubmittedTask[]): void {
  for (const task of tasks) checkTask(world, plan, task)
  checkPlaces(world)
  const [problem] = world.miners.flatMap(({ problems }) => problems)
  if (problem !== undefined) throw new Difference(problem)
  for (const roundId of world.records.rounds.keys())
    if (!world.records.forgotten.has(roundId)) checkMembers(world, roundId)
}

/** A member that fails so shortly before the deadline may have no replacement. */
const replaceSecs = 5
/** After the last fault, a round is over within this time, in seconds. */
const roundSecsMax = 420

/** A task has the result of honest nodes; without one, it says why. */
function checkTask(world: World, plan: Plan, { taskId, input }: SubmittedTask): void {
  const { records } = world
  const task = records.tasks.get(taskId)
  if (task === undefined) throw new Difference(`nobody can read of ${taskId}`)
  if (task.roundId === null) {
    if (task.error !== 'no_attested_snapshot' || plan.attestedAfterSecs === 0)
      throw new Difference(`${taskId} has no round: ${task.error}`)
    return
  }
  const { round } = records.rounds.get(task.roundId)!
  if (round.state === 'failed') {
    if (!world.validators.isSplit(task.roundId)) throw new Difference(`${taskId} failed: ${round.error}`)
    return
  }
  const since = Math.max(round.issuedAt, world.startAt + plan.faultsEndSecs)
  if ((round.finalizedAt ?? 0) > since + roundSecsMax)
    throw new Difference(`${taskId} took ${(round.finalizedAt ?? 0) - round.issuedAt} s`)
  const honest = honestResult(
    { module_address: round.moduleAddress, function: round.function } as never,
    input,
  )
  if (round.receiptHash !== honest.hash) {
    if (isConspiracy(world, task.roundId)) return
    throw new Difference(`${taskId} has a wrong result`)
  }
  if (round.output !== honest.outputB64) throw new Difference(`${taskId} has another output than its receipt`)
}

/** A committee of which everybody lies alike, where chance does not have it audited: nobody who saw the task was honest. */
function isConspiracy({ records, miners }: World, roundId: string): boolean {
  const { round, leases } = records.rounds.get(roundId)!
  const voters = leases.filter(({ proofStatus }) => proofStatus === 'verified')
  const isGuilty = (key: string) => miners.find(({ person }) => person.publicKey === key)!.guilty.has(roundId)
  return !round.audited && voters.length > 0 && voters.every(({ nodeKey }) => isGuilty(nodeKey))
}

/** Each place of an epoch is of one task, and each task has one place. */
function checkPlaces({ records }: World): void {
  const places = new Map<string, string>()
  const rounds = new Map<string, string>()
  for (const { round } of records.rounds.values()) {
    const { taskId } = round
    const place = `${round.epoch} ${round.seq}`
    if (places.has(place))
      throw new Difference(`${place} is of two rounds: ${places.get(place)}, ${round.roundId}`)
    places.set(place, round.roundId)
    if (taskId === null) continue
    if (rounds.has(taskId)) throw new Difference(`${taskId} has two rounds`)
    rounds.set(taskId, round.roundId)
  }
}

/** Members are credited for the final result alone, once, and blamed only for their own doing. */
export function checkMembers(world: World, roundId: string): void {
  const { records, miners } = world
  const end = records.ends.get(roundId)
  const published = records.rounds.get(roundId)!
  if (end === undefined) throw new Difference(`nothing follows from the end of ${roundId}`)
  const credited = published.leases.filter(({ proofStatus }) => proofStatus === 'verified')
  const units = end.credits.reduce((sum, credit) => sum + credit.units, 0)
  const voters = new Set(credited.map(({ nodeKey }) => nodeKey)).size
  // Said again here, so that a hub and validators that err alike are noticed.
  const isChanged = (published.round.epoch ?? 0) * epochSecs >= changeOf(world)
  const { gas_per_unit } = isChanged ? laterParams : params
  const unitsOfEach = Math.ceil((published.round.gasUsed ?? 0) / gas_per_unit)
  if (units !== voters * unitsOfEach)
    throw new Difference(`${roundId} credits ${units} units to ${voters} voters with ${unitsOfEach} each`)
  checkVotes(end)
  checkReplacements(end, published)
  for (const lease of published.leases) {
    const miner = miners.find(({ person }) => person.publicKey === lease.nodeKey)!
    const why = () =>
      JSON.stringify(
        { lease, journal: miner.journal.slice(-journalMax), errors: world.platform.errors.slice(-20) },
        null,
        1,
      )
    if (lease.proofStatus === 'verified' && lease.receiptHash !== published.round.receiptHash)
      throw new Difference(`${roundId} credits another result: ${why()}`)
    if (lease.rejectionReason === 'disagreed' && !miner.guilty.has(roundId))
      throw new Difference(`an honest member disagrees in ${roundId}: ${why()}`)
    const isBlamed =
      lease.role === 'primary' && (lease.proofStatus === 'missed' || lease.rejectionReason === 'late')
    if (isExcusedBlame(world, lease))
      throw new Difference(`soon after a change of parameters a member is blamed in ${roundId}: ${why()}`)
    if (isBlamed && !mayOwe(miner, published.round, roundId))
      throw new Difference(`an innocent member is blamed in ${roundId}: ${why()}`)
    if (lease.rejectionReason === 'invalid_vote' && !miner.invalid.has(roundId))
      throw new Difference(`an honest vote was found invalid in ${roundId}: ${why()}`)
    const isPaid = lease.proofStatus === 'verified' || published.round.state === 'failed'
    if (miner.stored.has(roundId) && !miner.guilty.has(roundId) && !isPaid)
      throw new Difference(`a member whose vote was stored is not credited in ${roundId}: ${why()}`)
  }
}

/** The hub looks at the time before it dates what came of it, and its clock may be set meanwhile. */
const datedWithinSecs = 10

/** Whether a member is blamed for being away or for declining when its node need not know the last change yet. */
function isExcusedBlame(world: World, { state, missedBecause, completedAt }: LeaseRow): boolean {
  const isAbsence = ['offline', 'absent', 'declined'].includes(missedBecause ?? '')
  return state === 'missed' && isAbsence && (completedAt ?? 0) > changeOf(world) + datedWithinSecs
}

/** When the parameters of the network change. */
const changeOf = ({ paramsSchedule }: World): number => paramsSchedule[1]?.from ?? Number.POSITIVE_INFINITY

/** Each vote counts once, and a member has two at most. */
function checkVotes({ round, file }: RecordedEnd): void {
  const votes = [...file.votes, ...file.evidence]
  const names = votes.map(({ public_key, receipt_hash }) => `${public_key} ${receipt_hash}`)
  if (new Set(names).size < names.length) throw new Difference(`${round.roundId} has a vote twice`)
  for (const [key, own] of Map.groupBy(votes, ({ public_key }) => public_key))
    if (own.length > 2) throw new Difference(`${round.roundId} has ${own.length} votes of ${key}`)
}

/** For each primary that failed in time, the next backup was asked, as long as there was one, and the hub. */
function checkReplacements({ round, file }: RecordedEnd, { leases }: PublishedRound): void {
  const primaries = leases.filter(({ role }) => role === 'primary')
  const inTime = (round.issuedAt ?? 0) + roundSecs - replaceSecs
  const failed = primaries.filter(
    ({ state, completedAt }) => (state === 'missed' || state === 'cancelled') && (completedAt ?? 0) < inTime,
  )
  const backups = Math.min(failed.length, file.draw.length - primaries.length)
  // A round that failed says of nobody how it went, and one whose process was away may have come back too late to ask.
  const wasAway = leases.some(({ missedBecause }) => missedBecause === 'hub_away')
  if (round.state === 'finalized' && !wasAway && leases.length < primaries.length + backups)
    throw new Difference(`${round.roundId} replaced none of ${failed.length} members`)
}

const mayOwe = (
  { owing, goneMs }: SimulatedMiner,
  { issuedAt, agreedAt }: { issuedAt: number; agreedAt: number | null },
  roundId: string,
): boolean =>
  owing.has(roundId) ||
  goneMs.some(
    ({ from, until }) => from <= ((agreedAt ?? issuedAt) + 60) * 1_000 && until >= (issuedAt - 10) * 1_000,
  )
