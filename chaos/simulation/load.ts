import { Difference } from '../harness/difference.ts'
import { draws as drawsOf } from '../harness/draws.ts'
import { type Ceilings, ceilingsOf, type Measured } from './ceilings.ts'
import { checkMembers, type SubmittedTask } from './check.ts'
import { readSteadily } from './database.ts'
import { calmPlan } from './finality.ts'
import { members } from './people.ts'
import { isTaskOver, openTasks, playIn, startNodes, submit } from './scenario.ts'
import { World } from './world.ts'

/** Trips that the database of a deployment takes in a second. */
const tripsPerSecond = 500
/** As many as a node may have. */
const slots = 64
/** Tasks of the last second are over by then. */
const drainSecs = 180
const forgetMs = 30_000

export interface LoadOptions {
  readonly seed: number
  readonly minutes: number
  /** Tasks in a second. */
  readonly rate: number
  /** How many times smaller the platform is: its database takes this many times fewer trips in a second. */
  readonly share: number
  readonly validators: number
}

/** Submits tasks at a steady rate, at random moments, on a platform with ceilings. @throws {@link Difference} */
export async function loadOf({ seed, minutes, rate, share, validators }: LoadOptions) {
  const draws = drawsOf(seed ^ 0x10ad)
  const calm = calmPlan({ seed, tasks: 0, validators, hung: 0, unlinked: 0, answerMs: 20 })
  const plan = { ...calm, members: members.map(() => ({ ...calm.members[0]!, slots })) }
  let measured: (Ceilings & Measured) | undefined
  const world = new World(plan, (own, ownDraws) => {
    measured = ceilingsOf(own, ownDraws, tripsPerSecond / share)
    return measured
  })
  const { trip, trips, queueMs, batches, longestQueue } = measured!
  const { time, records, platform } = world
  const submittedMs = new Map<string, number>()
  let open = 0
  let readMs: readonly number[] = []
  let tripsOfTasks = 0
  const { tasks } = await playIn(world, plan, async () => {
    await startNodes(world)
    const tripsBefore = trips()
    const reads = readSteadily(time, () => trip('bucket'))
    const submitted: SubmittedTask[] = []
    const count = Math.round(minutes * 60 * rate)
    const give = async (index: number) => {
      const beganMs = time.nowMs
      // The credential and the project.
      await trip('database')
      await submit(world, index, { hasKey: false, underfunded: false }, submitted)
      submittedMs.set(`task ${index} try 1`, beganMs)
    }
    for (let index = 0; index < count; index++)
      time.after(2_000 + draws.below(minutes * 60_000), () => void give(index))
    const limitMs = (world.startAt + minutes * 60 + drainSecs) * 1_000
    forgetSteadily(world)
    const look = () => {
      open = Math.max(open, platform.stored('Round').length)
      time.after(5_000, look)
    }
    look()
    // A task that is over stays over.
    let over = 0
    const areOver = () => {
      while (over < count && isTaskOver(world, submitted[over]!.taskId)) over += 1
      return over === count
    }
    const isOver = () =>
      submitted.length === count &&
      world.undelivered === 0 &&
      areOver() &&
      platform.stored('Round').length === 0 &&
      openTasks(world) === 0
    if (!(await time.runUntil(isOver, limitMs)))
      throw new Difference(`${submitted.length} of ${count} tasks were taken, and not all are over`)
    tripsOfTasks = trips() - tripsBefore
    readMs = reads()
    return submitted
  })
  const finalMs = [...submittedMs].map(([taskId, beganMs]) => {
    const { roundId } = records.tasks.get(taskId)!
    return records.endedMs.get(roundId!)! - beganMs
  })
  return {
    tasks: tasks.length,
    ...{ rate, share, validators, open_rounds_at_most: open },
    final_ms: figuresOf(finalMs),
    queue_ms: figuresOf(queueMs),
    ...{ messages_in_queue_at_most: longestQueue(), rounds_in_a_batch: queueMs.length / batches() },
    trips_per_task: Number((tripsOfTasks / tasks.length).toFixed(3)),
    validator_requests_per_task: Number((world.validators.requests / tasks.length).toFixed(2)),
    reads: readMs.length,
  }
}

/** Checks rounds once they are over for a while, and keeps only their rows: an hour has more of them than fit into memory. */
function forgetSteadily(world: World): void {
  const { records, time, platform, validators } = world
  for (const [roundId, endedMs] of records.endedMs) {
    if (records.forgotten.has(roundId) || !records.ends.has(roundId) || time.nowMs - endedMs < forgetMs)
      continue
    checkMembers(world, roundId)
    records.forget(roundId)
    validators.forget(roundId)
  }
  platform.dropEmpty('Round')
  time.after(forgetMs, () => forgetSteadily(world))
}

function figuresOf(ms: readonly number[]) {
  const sorted = ms.toSorted((one, other) => one - other)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!)
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}
