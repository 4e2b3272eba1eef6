import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { findTask, type TaskRecord, taskOf } from '../../rounds/find-round.ts'
import { defineRoute, ok } from '../../route.ts'
import { roundIdExample, TaskView, taskExample, Wait } from './schema.ts'
import { taskView } from './view.ts'
import { waitForTask } from './wait.ts'

const TaskParams = z.object({
  task_id: z
    .string()
    .regex(/^(?:[A-Za-z0-9]{24}|task:0[xX][0-9a-fA-F]{64})$/, 'must be the id of a task or of its round')
    // Hex is accepted in any case; in the id of a task, case counts.
    .transform((id) => (id.includes(':') ? id.toLowerCase() : id))
    .meta({ example: roundIdExample }),
})

export const getTask = defineRoute(
  {
    method: 'get',
    path: '/v1/tasks/{task_id}',
    operationId: 'getTask',
    tag: 'Tasks',
    summary: 'Get a task',
    description: 'By its own id, or by that of its round, percent-encoded.',
    params: TaskParams,
    query: z.strictObject({
      wait: Wait.describe('Seconds to wait until the task is final, or has failed.'),
    }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The present state of the task.', TaskView, taskExample),
  },
  async (c, { params: { task_id }, query: { wait = 0 } }) => {
    const untilMs = Date.now() + wait * 1000
    const waited = wait > 0 && task_id.startsWith('task:') ? await waitForOpen(c, task_id, wait) : null
    if (waited !== null) return json(await taskView(c, waited))
    const found = await findTask(c.var.services, task_id)
    if (found === null) throw new ApiError('not_found', `The task ${task_id} does not exist.`)
    const leftSecs = Math.max(0, untilMs - Date.now()) / 1000
    const { record } = await waitForTask(c, found, 'final', leftSecs)
    return json(await taskView(c, record))
  },
)

/** Most callers wait for a round that is open: its object knows the task. Null if the object does not have the round. */
async function waitForOpen(c: HubContext, roundId: string, seconds: number): Promise<TaskRecord | null> {
  const open = await c.var.services
    .roundObjects(roundId)
    .read()
    .catch(() => null)
  if (open === null) return null
  const found = { task: taskOf(open.round), round: open.round }
  return (await waitForTask(c, found, 'final', seconds)).record
}
