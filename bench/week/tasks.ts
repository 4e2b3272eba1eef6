import { unwrap } from '../../sdk/answers.ts'
import { isOver } from '../../tools/task/follow.ts'
import type { Task } from '../../tools/task/submit.ts'
import type { WeekNetwork } from './network.ts'

/** A task that the hub took, and what became of it. */
export interface GivenTask {
  readonly input: string
  readonly givenAt: number
  task: Task
  /** Until its result was final; null before. */
  seconds: number | null
}

/** Gives a task to the function that returns its input. */
export async function giveTask(week: WeekNetwork, number: number): Promise<GivenTask> {
  const input = JSON.stringify({ task: number, text: 'x'.repeat((number * 37) % 200) })
  const task = await unwrap(
    week.network.client.POST('/v1/projects/{project_id}/tasks', {
      params: { path: { project_id: week.projectId } },
      body: {
        function: 'echo',
        input_b64: Buffer.from(input).toString('base64'),
        idempotency_key: `task-${number}`,
      },
    }),
  )
  return { input, givenAt: week.time(), task, seconds: null }
}

/** Follows a task until it is over, or so long. */
export async function followTask(week: WeekNetwork, given: GivenTask, limitMs: number): Promise<void> {
  const startedMs = performance.now()
  while (!isOver(given.task) && performance.now() - startedMs < limitMs) {
    const params = { path: { task_id: given.task.task_id }, query: { wait: 10 } }
    given.task = await unwrap(week.network.client.GET('/v1/tasks/{task_id}', { params }))
  }
  if (isOver(given.task)) given.seconds ??= (performance.now() - startedMs) / 1000
}

export const isHonest = ({ task, input }: GivenTask): boolean =>
  task.status === 'finalized' && task.success === true && task.output === input
