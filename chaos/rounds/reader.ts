import { isOver } from '../../tools/task/follow.ts'
import { Difference } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import type { Project } from '../network/projects.ts'
import type { RoundsNetwork } from './network.ts'
import type { TaskView } from './tasks.ts'

const readMs = 400

/** How far a state is. A reorganisation may take an audit back, so an escalated round may become one that agreed. */
const ranks: Readonly<Record<TaskView['status'], number>> = {
  queued: 0,
  running: 1,
  fallback: 2,
  committee_agreed: 2,
  escalated: 2,
  finalized: 3,
  failed: 3,
}

interface Listed {
  items: readonly { round_id: string; state: string }[]
}

/**
 * Reads a task by its id until it is over, and then the list of its project until that has its round.
 * @throws {@link Difference} where a state goes back, the task is not found, or the list says otherwise.
 */
export async function readOn(
  { hub }: Pick<RoundsNetwork, 'hub'>,
  { projectId }: Pick<Project, 'projectId'>,
  taskId: string,
): Promise<void> {
  const read = async (): Promise<TaskView> => {
    const reply = await hub.call<TaskView>({ path: `/v1/tasks/${encodeURIComponent(taskId)}` })
    requireStatus(`the task ${taskId}`, reply, 200)
    return reply.body
  }
  let task = await read()
  while (!isOver(task)) {
    await delay(readMs)
    const next = await read()
    if (ranks[next.status] < ranks[task.status])
      throw new Difference(`the task ${taskId} goes back from ${task.status} to ${next.status}`)
    task = next
  }
  const { round_id: roundId, status } = task
  if (roundId === null) return
  const listed = async () => {
    const { items } = await hub.expect<Listed>(200, { path: `/v1/projects/${projectId}/rounds?limit=200` })
    return items.find((round) => round.round_id === roundId)?.state
  }
  await until(`the list of ${projectId} has ${roundId}`, async () => {
    const state = await listed()
    return state === status || `it has ${state}`
  })
  for (const [where, state] of [
    ['list', await listed()],
    ['record', (await read()).status],
  ])
    if (state !== status) throw new Difference(`${roundId} is ${status}, and then ${state} in its ${where}`)
}
