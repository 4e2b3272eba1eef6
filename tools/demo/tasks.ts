import { CommandError } from '../../scripts/command/errors.ts'
import type { Hub } from '../../sdk/index.ts'
import { followTask, type Round, readRound } from '../task/follow.ts'

const limitSecs = 120

/** How a task came to its result. */
export type TaskKind = 'clean' | 'audited' | 'contested' | 'fallback'

export type FinishedTask = Awaited<ReturnType<typeof finishTask>>

/** Submits a task, and waits until its result is final. @throws {@link CommandError} when it is not. */
export async function finishTask(client: Hub, project_id: string, input: string) {
  const startedMs = performance.now()
  const given = await client.call('POST /v1/projects/{project_id}/tasks', {
    path: { project_id },
    body: { function: 'echo', input_b64: Buffer.from(input).toString('base64') },
  })
  const task = await followTask(client, given, limitSecs, () => {})
  const round = await readRound(client, task)
  if (task.status !== 'finalized' || round === null)
    throw new CommandError(`Task ${task.task_id} is ${task.status} after ${limitSecs} s: ${task.error}`)
  const seconds = (performance.now() - startedMs) / 1000
  return { kind: kindOf(round), round, output: task.output, seconds }
}

/** A member that voted for anything but the result makes a round contested, whatever else it voted for. */
function kindOf({ votes_detail = [], audited = false }: Round): TaskKind {
  if (votes_detail.length === 0) return 'fallback'
  if (new Set(votes_detail.map(({ receipt_hash }) => receipt_hash)).size > 1) return 'contested'
  return audited ? 'audited' : 'clean'
}
