import type { Schemas } from '../../sdk/index.ts'
import { isOver } from '../../tools/task/follow.ts'
import { Difference } from '../harness/difference.ts'
import { delay, eachOf } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import type { Project } from '../network/projects.ts'
import type { RoundsNetwork } from './network.ts'

export type TaskView = Schemas['Task']

/** Submits a task. Asked again with the same key it is the same task, so that a killed hub loses and doubles nothing. */
export async function submitTask(
  { hub }: Pick<RoundsNetwork, 'hub'>,
  { projectId, consensus }: Project,
  input: string,
  key: string,
  query = '',
): Promise<TaskView> {
  const path = `/v1/projects/${projectId}/tasks${query}`
  const json = { function: consensus.work.functions[0], input, idempotency_key: key }
  const reply = await hub.call<TaskView>({ method: 'POST', path, json })
  requireStatus(`the task ${key}`, reply, 202, 200)
  return reply.body
}

/** Waits until a task is over. @throws {@link Difference} when it is not after a time in which every deadline has passed. */
export async function endOfTask(
  { hub }: Pick<RoundsNetwork, 'hub'>,
  taskId: string,
  patienceMs = 900_000,
): Promise<TaskView> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const body = await hub.expect<TaskView>(200, {
      path: `/v1/tasks/${encodeURIComponent(taskId)}?wait=30`,
      limitMs: patienceMs,
    })
    if (isOver(body)) return body
    if (performance.now() > endMs)
      throw new Difference(
        `the task ${taskId} is ${body.status} for ${patienceMs / 60_000} minutes: ${JSON.stringify(body)}`,
      )
    await delay(100)
  }
}

/**
 * Submits tasks to all projects in turn, and waits until each is over.
 *
 * @param label Tells these tasks from others.
 * @param patienceMs A task that is not over after this time is a difference.
 * @returns Each task with its input, and the milliseconds from its submission to its end.
 */
export async function finishTasks(
  network: Pick<RoundsNetwork, 'hub' | 'projects'>,
  { label, tasks, atOnce, patienceMs }: { label: string; tasks: number; atOnce: number; patienceMs?: number },
) {
  const { projects } = network
  return eachOf([...Array(tasks).keys()], atOnce, async (index) => {
    const input = `${label} ${index}`
    const begunMs = performance.now()
    const { task_id } = await submitTask(network, projects[index % projects.length]!, input, input)
    const task = await endOfTask(network, task_id, patienceMs)
    return { task, input, ms: performance.now() - begunMs }
  })
}
