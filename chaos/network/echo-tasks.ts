import type { Network } from '../../scripts/hub/network.ts'
import { isOver, type Round, readRound } from '../../tools/task/follow.ts'
import type { Task } from '../../tools/task/submit.ts'

/** A network with a project whose module returns its input. */
export interface EchoNetwork {
  readonly network: Network
  readonly projectId: string
}

/** A task that the hub took, and its state when it was last read. */
export interface EchoTask {
  readonly input: string
  task: Task
  /** Until its result was final; null before. */
  seconds: number | null
}

/** Submits a task. @param key - Submitted again with the same key, it is the same task. */
export async function giveTask(
  { network, projectId }: EchoNetwork,
  key: string,
  input: string,
): Promise<EchoTask> {
  const task = await network.client.call('POST /v1/projects/{project_id}/tasks', {
    path: { project_id: projectId },
    body: { function: 'echo', input_b64: Buffer.from(input).toString('base64'), idempotency_key: key },
  })
  return { input, task, seconds: null }
}

export async function followTask({ network: { client } }: EchoNetwork, given: EchoTask, limitMs: number) {
  const startedMs = performance.now()
  while (!isOver(given.task) && performance.now() - startedMs < limitMs) {
    const params = { path: { task_id: given.task.task_id }, query: { wait: 10 } }
    given.task = await client.call('GET /v1/tasks/{task_id}', params)
  }
  if (isOver(given.task)) given.seconds ??= (performance.now() - startedMs) / 1000
}

export const isHonest = ({ task, input }: EchoTask): boolean =>
  task.status === 'finalized' && task.success === true && task.output === input

/** The nodes that decided about a task: its committee, validators after an audit or a contest, or validators alone. */
export type Way = 'clean' | 'audited' | 'contested' | 'fallback' | 'none'

export async function readWay({ network: { client } }: EchoNetwork, { task }: EchoTask): Promise<Way> {
  const round = task.status === 'finalized' ? await readRound(client, task) : null
  return round === null ? 'none' : wayOf(round)
}

function wayOf({ votes_detail = [], audited = false, committee_size = 0, agreeing = 0 }: Round): Way {
  if (votes_detail.length === 0) return 'fallback'
  if (audited) return 'audited'
  return agreeing < committee_size ? 'contested' : 'clean'
}

export function secondsUntilFinal(tasks: readonly EchoTask[]) {
  const took = tasks.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b)
  const at = (share: number) => Number(took[Math.floor((took.length - 1) * share)]?.toFixed(1))
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}
