import type { Awaited } from '../../../durable-objects/round/round.ts'
import type { HubContext } from '../../context.ts'
import { findPublished, findRound, findTask, type TaskRecord } from '../../rounds/find-round.ts'
import { statusOf } from './view.ts'

/** An object that ends while somebody waits is asked again this often. */
const triesMax = 5

/** A task as it stood when nobody waited any more, and whether it had come as far as was asked for. */
export interface AwaitedTask {
  record: TaskRecord
  isReached: boolean
}

/**
 * Waits until a task came as far as a caller asks for, and no longer than it asks for. The objects of its project and its round say when, and
 * how it stands then. @param found - With its round as it stands now, unless that is not known.
 */
export async function waitForTask(
  c: HubContext,
  found: TaskRecord,
  awaited: Awaited,
  seconds: number,
): Promise<AwaitedTask> {
  if (seconds === 0 && found.round !== null) return { record: found, isReached: isOver(found) }
  const untilMs = Date.now() + seconds * 1000
  let record = found
  for (let tries = 0; tries < triesMax && !isOver(record); tries++) {
    const leftMs = Math.max(0, untilMs - Date.now())
    const waited = await waitOnce(c, record, awaited, leftMs).catch(() => null)
    if (waited !== null) record = waited.record
    // A committee that agreed does not show any more in a round that is audited.
    if (waited?.isReached) return { record, isReached: true }
    if (leftMs === 0 || waited?.isPending) break
  }
  return { record, isReached: isOver(record) }
}

/** How a task came on in one answer of the object that has it; `isPending` if it did not, in all the time. */
async function waitOnce(
  c: HubContext,
  record: TaskRecord,
  awaited: Awaited,
  ms: number,
): Promise<AwaitedTask & { isPending?: boolean }> {
  const { services } = c.var
  const { task } = record
  if (task.roundId === null) {
    const roundId =
      ms === 0 ? null : await services.committees?.(task.projectId).waitForRound(task.taskId, ms)
    if (roundId) return { record: { task: { ...task, roundId }, round: null }, isReached: false }
    const ended = ms === 0 ? null : await findTask(services, task.taskId)
    return { record: ended ?? record, isReached: false, isPending: true }
  }
  const untilMs = Date.now() + ms
  if (awaited === 'final' && ms > 0) {
    // If the project does not answer, or runs the previous build, which lacks this method, the round's object is asked.
    const ended = await services
      .committees?.(task.projectId)
      .waitForEnd(task.roundId, ms)
      .catch(() => null)
    if (ended?.view) return { record: { task, round: ended.view.round }, isReached: true }
    const round = ended && ((await findPublished(services, task.roundId))?.round ?? record.round)
    if (round && (ended?.isOver === false || isOver({ task, round })))
      return { record: { task, round }, isReached: isOver({ task, round }), isPending: true }
  }
  const leftMs = Math.max(0, untilMs - Date.now())
  const said = await services.roundObjects(task.roundId).wait(awaited, leftMs)
  if (said !== null)
    return { record: { task, round: said.view.round }, isReached: said.isReached, isPending: !said.isReached }
  const round = await findRound(services, task.roundId)
  return { record: { task, round: round ?? record.round }, isReached: false }
}

function isOver(record: TaskRecord): boolean {
  const status = statusOf(record)
  return status === 'finalized' || status === 'failed'
}
