import type { Submitted } from '../../durable-objects/project/tasks.ts'
import { utf8 } from '../../protocol/encoding/index.ts'
import { hashPayload } from '../../protocol/execution/index.ts'
import { Difference } from '../harness/difference.ts'
import { waitForEnd } from './callers.ts'
import { checkOutcome, type SubmittedTask } from './check.ts'
import { epochSecs, projectId } from './people.ts'
import { type Incident, type Plan, planOf } from './plan.ts'
import { noFaults } from './platform/faults.ts'
import { installSockets } from './platform/sockets.ts'
import { World } from './world.ts'

/** After the last fault, tasks that wait for a set wait to the end of an epoch, and a round then takes minutes. */
const endsWithinSecs = 2 * epochSecs + 1_800
/** An event wakes others; more than this says that something never comes to rest. */
const eventsMax = 200_000
const submitPauseMs = 3_000

/** The outcome of a scenario, for its figures. */
export interface Outcome {
  readonly world: World
  readonly tasks: readonly SubmittedTask[]
}

/** Runs the scenario of a seed to its end, and checks it. @throws {@link Difference} */
export const runScenario = (seed: number): Promise<Outcome> => playPlan(planOf(seed))

/** {@link runScenario} of a plan. */
export const playPlan = (plan: Plan): Promise<Outcome> =>
  playIn(new World(plan), plan, (world) => play(plan, world))

/** Plays in a world, and checks what holds at its end. @throws {@link Difference} */
export async function playIn(
  world: World,
  plan: Plan,
  play: (world: World) => Promise<SubmittedTask[]>,
): Promise<Outcome> {
  const uninstall = [world.time.install(), world.validators.install(), installSockets()]
  const problems: unknown[] = []
  const note = (error: unknown) => {
    if (!(error instanceof Error && error.name === 'Gone')) problems.push(error)
  }
  process.on('unhandledRejection', note)
  const kept = console.error
  console.error = (...texts: unknown[]) => world.platform.errors.push(texts.map(String).join(' '))
  try {
    const tasks = await play(world)
    const [problem] = [...world.records.differences, ...problems]
    if (problem !== undefined)
      throw new Difference(problem instanceof Error ? String(problem.stack) : String(problem))
    checkOutcome(world, plan, tasks)
    return { world, tasks }
  } finally {
    console.error = kept
    process.off('unhandledRejection', note)
    for (const restore of uninstall) restore()
    world.platform.close()
  }
}

async function play(plan: Plan, world: World): Promise<SubmittedTask[]> {
  const { time, platform } = world
  await startNodes(world)
  world.databaseFaults = plan.databaseFaults
  platform.faults = plan.faults
  for (const incident of plan.incidents) time.after(incident.atSecs * 1_000, () => meet(world, incident))
  time.after(plan.faultsEndSecs * 1_000, () => {
    platform.faults = noFaults
    world.databaseFaults = 0
  })
  const submitted: SubmittedTask[] = []
  plan.tasks.forEach(({ atSecs, hasKey, underfunded }, index) => {
    time.after(
      2_000 + atSecs * 1_000,
      () => void submit(world, index, { hasKey, underfunded }, submitted, true),
    )
  })
  const isOver = () =>
    submitted.length === plan.tasks.length &&
    world.elapsedSecs() > plan.faultsEndSecs &&
    submitted.every(({ taskId }) => isTaskOver(world, taskId)) &&
    platform.stored('Round').length === 0 &&
    world.undelivered === 0 &&
    openTasks(world) === 0
  const limitMs = (world.startAt + plan.faultsEndSecs + endsWithinSecs) * 1_000
  const isAtRest = await time.runUntil(() => isOver() || time.events > eventsMax, limitMs)
  if (!isAtRest || time.events > eventsMax) throw new Difference(whatIsOpen(world, plan, submitted))
  return submitted
}

/** Nodes connect, long before the first task. */
export async function startNodes({ time, miners, validators, startAt }: World): Promise<void> {
  for (const miner of miners) miner.start()
  validators.start()
  await time.runUntil(() => false, startAt * 1_000)
}

function meet(world: World, incident: Incident): void {
  const { platform, miners, chain } = world
  platform.note(incident.kind)
  switch (incident.kind) {
    case 'deploy':
      platform.frames = incident.frames
      return platform.deploy(incident.closeCode, incident.secs * 1_000)
    case 'link_down': {
      const { publicKey } = miners[incident.member]!.person
      return platform.takeDown('NodeLink', publicKey, incident.secs * 1_000)
    }
    case 'rounds_down':
      return platform.takeDown('Round', null, incident.secs * 1_000)
    case 'cut_off':
      return miners[incident.member]!.cutOff(incident.secs * 1_000)
    case 'killed':
    case 'stopped':
      return miners[incident.member]!.end(incident.secs * 1_000, incident.kind === 'stopped')
    case 'silent_chain':
      return chain.silence(incident.atSecs + world.startAt, incident.secs)
    case 'reorganisation':
      return chain.reorganise(incident.secs)
    case 'hub_clock':
      world.hubSkewSecs = incident.secs
      return
    case 'parameters':
      world.updateNodes(incident.secs)
  }
}

/** Submits a task as a client does: the same again until there is an answer. @param waits - Whether it then waits for the result. */
export async function submit(
  world: World,
  index: number,
  { hasKey, underfunded }: { hasKey: boolean; underfunded: boolean },
  submitted: SubmittedTask[],
  waits = false,
): Promise<void> {
  const input = `input ${index}`
  const request = {
    ...{ function: 'echo', gasLimit: 100_000_000, underfunded },
    ...{ inputHash: hashPayload(utf8(input)), input: Buffer.from(input).toString('base64') },
    idempotencyKey: hasKey ? `key ${index}` : null,
  }
  for (let tries = 1; ; tries++) {
    // Each request has an id of its own; under a key, all of them are one task.
    const taskId = `task ${index} try ${tries}`
    const answer = (await world.submit({ ...request, taskId }).catch(() => null)) as Submitted | null
    if (answer !== null && answer.status !== 'full') {
      if (answer.status === 'conflict') throw new Difference(`task ${index} conflicts with itself`)
      submitted.push({ taskId: answer.taskId, input })
      if (waits && answer.roundId !== null) void waitForEnd(world, answer.roundId)
      return
    }
    await world.time.wait(submitPauseMs)
  }
}

export function isTaskOver({ records }: World, taskId: string): boolean {
  const task = records.tasks.get(taskId)
  if (task === undefined) return false
  if (task.error !== null) return true
  const state = task.roundId === null ? undefined : records.rounds.get(task.roundId)?.round.state
  return state === 'finalized' || state === 'failed'
}

/** Tasks of the project's object that wait or run. */
export function openTasks({ platform }: World): number {
  const [row] = platform
    .diskOf('ProjectCommittees', projectId)
    .sql.exec('SELECT count(*) AS n FROM tasks', [])
  return Number(row?.n)
}

function whatIsOpen(world: World, plan: Plan, submitted: readonly SubmittedTask[]): string {
  const open = submitted.filter(({ taskId }) => !isTaskOver(world, taskId)).map(({ taskId }) => taskId)
  return `it does not come to rest within ${Math.round(world.elapsedSecs())} s and ${world.time.events} events: ${JSON.stringify(
    {
      submitted: `${submitted.length} of ${plan.tasks.length}`,
      open,
      records: [...world.records.tasks],
      rounds: world.platform.stored('Round'),
      tasks: world.platform
        .diskOf('ProjectCommittees', projectId)
        .sql.exec('SELECT task_id, state, round_id FROM tasks', []),
      errors: world.platform.errors.slice(-20),
    },
    null,
    1,
  )}`
}
