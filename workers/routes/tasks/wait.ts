import type { Awaited } from '../../../durable-objects/round/types.ts'
import type { HubContext } from '../../context.ts'
import type { TaskRecord } from '../../stores/tasks.ts'
import { statusOf } from './view.ts'

/** An object that ends while somebody waits is asked again this often. */
const triesMax = 5

/** A task as it stood when nobody waited any more, and whether it had come as far as was asked for. */
export interface AwaitedTask {
  record: TaskRecord
  isReached: boolean
}

/**
 * Waits until a task came as far as a caller asks for, and no longer than it asks for. The objects of its project and its
 * round say when; the database is read once for each thing they say.
 */
export async function waitForTask(
  c: HubContext,
  found: TaskRecord,
  awaited: Awaited,
  seconds: number,
): Promise<AwaitedTask> {
  const untilMs = Date.now() + seconds * 1000
  let record = found
  for (let tries = 0; tries < triesMax && !isReached(record, awaited); tries++) {
    const leftMs = untilMs - Date.now()
    if (leftMs <= 0) break
    const said = await waitOnce(c, record, awaited, leftMs).catch(() => 'lost' as const)
    record = (await c.var.services.tasks.find(record.task.taskId)) ?? record
    // A committee that agreed does not show any more in a round that is audited.
    if (said === 'reached' && awaited === 'agreed') return { record, isReached: true }
    if (said === 'pending') break
  }
  return { record, isReached: isReached(record, awaited) }
}

async function waitOnce(
  c: HubContext,
  { task }: TaskRecord,
  awaited: Awaited,
  ms: number,
): Promise<'reached' | 'pending' | 'gone' | 'scheduled'> {
  const { committees, roundObjects } = c.var.services
  if (task.roundId !== null) return roundObjects(task.roundId).wait(awaited, ms)
  const roundId = await committees?.(task.projectId).waitForRound(task.taskId, ms)
  return roundId ? 'scheduled' : 'pending'
}

function isReached(record: TaskRecord, awaited: Awaited): boolean {
  const status = statusOf(record)
  if (status === 'finalized' || status === 'failed') return true
  return awaited === 'agreed' && status === 'committee_agreed'
}
