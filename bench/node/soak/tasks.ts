import { setTimeout as pause } from 'node:timers/promises'
import { unwrap } from '../../../sdk/answers.ts'
import { HubError } from '../../../sdk/connect.ts'
import { isOver, type Round, readRound } from '../../../tools/task/follow.ts'
import type { Task } from '../../../tools/task/submit.ts'
import type { Draws } from '../../draws.ts'
import type { NodeNetwork } from '../network.ts'

/** What came of a task that the hub took. */
export interface EndedTask {
  readonly taskId: string
  readonly status: string
  readonly error: string | null
  readonly isHonest: boolean
  readonly way: 'clean' | 'audited' | 'contested' | 'fallback' | 'none'
  readonly seconds: number
}

/** All deadlines of a round have passed by then. */
const limitMs = 900_000
/** A busy machine lets a call of the hub fail for as long at most. */
const callLimitMs = 120_000
/** Above what the rows of the hub hold, and below what the module of the sample can emit. */
const largeChars = 8_000

/** One task in twenty has an input and a result that the hub keeps as files. */
export const drawInput = (random: Draws, index: number): string =>
  JSON.stringify({ task: index, text: 'x'.repeat(random.percent(5) ? largeChars : random.below(200)) })

/** Gives a task to the function that returns its input. @returns null when the hub does not take it. */
export async function giveTask({ network, projectId }: NodeNetwork, input: string): Promise<Task | null> {
  try {
    return await unwrap(
      network.client.POST('/v1/projects/{project_id}/tasks', {
        params: { path: { project_id: projectId } },
        body: { function: 'echo', input_b64: Buffer.from(input).toString('base64') },
      }),
    )
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    console.error(error.message)
    return null
  }
}

/** Follows a task to its end; one without an end within {@link limitMs} is told as it is then. */
export async function endOfTask(
  { network: { client } }: NodeNetwork,
  given: Task,
  input: string,
): Promise<EndedTask> {
  const startedMs = performance.now()
  let task = given
  while (!isOver(task) && performance.now() - startedMs < limitMs) {
    const params = { path: { task_id: task.task_id }, query: { wait: 30 } }
    task = await patiently(() => unwrap(client.GET('/v1/tasks/{task_id}', { params })))
  }
  const seconds = (performance.now() - startedMs) / 1000
  const round = task.status === 'finalized' ? await patiently(() => readRound(client, task)) : null
  return {
    taskId: task.task_id,
    status: task.status,
    error: task.error,
    isHonest: task.status === 'finalized' && task.success === true && task.output === input,
    way: round === null ? 'none' : wayOf(round),
    seconds,
  }
}

function wayOf({
  votes_detail = [],
  audited = false,
  committee_size = 0,
  agreeing = 0,
}: Round): EndedTask['way'] {
  if (votes_detail.length === 0) return 'fallback'
  if (audited) return 'audited'
  return agreeing < committee_size ? 'contested' : 'clean'
}

/** Reads from the hub, again where that fails. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (const endMs = performance.now() + callLimitMs; ; await pause(1_000)) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof HubError) || performance.now() > endMs) throw error
    }
  }
}
