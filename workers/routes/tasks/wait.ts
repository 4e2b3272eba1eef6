import type { Awaited } from '../../../durable-objects/round.ts'
import type { HubContext } from '../../context.ts'
import type { TaskRecord } from '../../stores/tasks.ts'
import { statusOf } from './view.ts'

/** An object that ends while somebody waits is asked again this often. */
const triesMax = 5

/**
 * Waits until a task came as far as a caller asks for, and no longer than it asks for. The objects of its project and its
 * round say when; the database is read once for each thing they say.
 */
export async function waitForTask(
  c: HubContext,
  found: TaskRecord,
  awaited: Awaited,
  seconds: number,
): Promise<TaskRecord> {
  const untilMs = Date.now() + seconds * 1000
  let record = found
  for (let tries = 0; tries < triesMax && !isReached(record, awaited); tries++) {
    const leftMs = untilMs - Date.now()
    if (leftMs <= 0) break
    const said = await waitOnce(c, record, awaited, leftMs).catch(() => 'lost' as const)
    record = (await c.var.services.tasks.find(record.task.taskId)) ?? record
    if (said === 'pending') break
  }
  return record
}

async function waitOnce(
  c: HubContext,
  { task }: TaskRecord,
  awaited: Awaited,
  ms: number,
): Promise<'reached' | 'pending' | 'gone' | 'scheduled'> {
  const { committees, roundObjects } = c.var.services
  if (task.roundId !== null) return roundObjects.wait(task.roundId, awaited, ms)
  const roundId = await committees?.waitForRound(task.projectId, task.taskId, ms)
  return roundId ? 'scheduled' : 'pending'
}

/** Whether there is nothing more to wait for. */
export function isReached(record: TaskRecord, awaited: Awaited): boolean {
  const status = statusOf(record)
  if (status === 'finalized' || status === 'failed') return true
  return awaited === 'agreed' && status === 'committee_agreed'
}
