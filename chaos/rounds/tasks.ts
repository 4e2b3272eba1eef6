import { Difference } from '../harness/difference.ts'
import { delay, eachOf } from '../harness/time.ts'
import type { RoundsNetwork } from './network.ts'

/** A task as `GET /v1/tasks/{id}` tells it; what is not looked at is left out. */
export interface TaskView {
  readonly task_id: string
  readonly round_id: string | null
  readonly epoch: number | null
  readonly status: string
  readonly success: boolean | null
  readonly output: string | null
  readonly error: string | null
  readonly receipt_hash: string | null
  readonly created_at: number
  readonly finalized_at: number | null
}

export const isOver = ({ status }: TaskView): boolean => status === 'finalized' || status === 'failed'

/** Submits a task. Asked again with the same key it is the same task, so that a killed hub loses and doubles nothing. */
export async function submitTask(
  { hub }: Pick<RoundsNetwork, 'hub'>,
  projectId: string,
  functionName: string,
  input: string,
  key: string,
  query = '',
): Promise<TaskView> {
  const reply = await hub.call<TaskView>({
    method: 'POST',
    path: `/v1/projects/${projectId}/tasks${query}`,
    json: { function: functionName, input, idempotency_key: key },
  })
  if (reply.status !== 202 && reply.status !== 200)
    throw new Difference(`the task ${key} is refused: ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** Waits until a task is over. @throws {@link Difference} when it is not after a time in which every deadline has passed. */
export async function endOfTask({ hub }: Pick<RoundsNetwork, 'hub'>, taskId: string): Promise<TaskView> {
  const endMs = performance.now() + 900_000
  for (;;) {
    const { status, body } = await hub.call<TaskView>({
      path: `/v1/tasks/${encodeURIComponent(taskId)}?wait=30`,
    })
    if (status !== 200) throw new Difference(`the task ${taskId}: ${status} ${JSON.stringify(body)}`)
    if (isOver(body)) return body
    if (performance.now() > endMs)
      throw new Difference(`the task ${taskId} is ${body.status} for 15 minutes: ${JSON.stringify(body)}`)
    await delay(100)
  }
}

/** A task that is over, with what was asked of it. */
export interface EndedTask {
  readonly task: TaskView
  readonly input: string
  /** From its submission, in milliseconds. */
  readonly ms: number
}

export interface TaskLoad {
  /** Tells these tasks from others. */
  readonly label: string
  readonly tasks: number
  readonly atOnce: number
}

/** Gives tasks to all projects in turn, and waits until each is over. */
export async function finishTasks(
  network: Pick<RoundsNetwork, 'hub' | 'projects'>,
  { label, tasks, atOnce }: TaskLoad,
): Promise<EndedTask[]> {
  const { projects } = network
  return eachOf([...Array(tasks).keys()], atOnce, async (index) => {
    const { projectId, consensus } = projects[index % projects.length]!
    const input = `${label} ${index}`
    const begunMs = performance.now()
    const { task_id } = await submitTask(network, projectId, consensus.work.functions[0]!, input, input)
    const task = await endOfTask(network, task_id)
    return { task, input, ms: performance.now() - begunMs }
  })
}
