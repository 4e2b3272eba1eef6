import { Difference, delay } from '../settlement/chaos/difference.ts'
import type { RoundsNetwork } from './network.ts'

/** A task as `GET /v1/tasks/{id}` tells it; what is not looked at is left out. */
export interface TaskView {
  readonly task_id: string
  readonly round_id: string | null
  readonly status: string
  readonly success: boolean | null
  readonly output: string | null
  readonly error: string | null
  readonly receipt_hash: string | null
  readonly created_at: number
  readonly finalized_at: number | null
}

const isOver = ({ status }: TaskView): boolean => status === 'finalized' || status === 'failed'

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
