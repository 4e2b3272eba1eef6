import { findWaited } from '../archive/find-archived.ts'
import type { Services } from '../services.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import type { RoundRow } from '../stores/schema/index.ts'
import type { TaskRow } from '../stores/tasks.ts'

type Records = Pick<Services, 'rounds' | 'roundFiles' | 'roundObjects'>

/** A task with the round that decides it, once there is one. */
export interface TaskRecord {
  task: TaskRow
  round: RoundRow | null
}

export const isOver = ({ state }: Pick<RoundRow, 'state'>): boolean =>
  state === 'finalized' || state === 'failed'

/**
 * A round by its id, at every moment: in the database once it was written there, in its object until its record is stored, and then in its record.
 * @throws {@link ApiError} 503 `unavailable`.
 */
export async function findRound(records: Records, roundId: string): Promise<RoundRow | null> {
  return latest(records, roundId, await records.rounds.find(roundId))
}

/** A round as it is now, of which the database may have an earlier state, or nothing. @throws {@link ApiError} 503 `unavailable`. */
export const latest = async (
  records: Omit<Records, 'rounds'>,
  roundId: string,
  row: RoundRow | null,
): Promise<RoundRow | null> =>
  row !== null && isOver(row) ? row : ((await findPublished(records, roundId))?.round ?? row)

/** A round of a task with the leases of its members, which its object has until its record is stored. @throws {@link ApiError} 503 `unavailable`. */
export async function findPublished(
  { roundFiles, roundObjects }: Omit<Records, 'rounds'>,
  roundId: string,
): Promise<PublishedRound | null> {
  if (!roundId.startsWith('task:')) return null
  // An object that cannot answer may have stored the record before.
  const open = await roundObjects(roundId)
    .read()
    .catch((error: unknown) => ({ error }))
  if (open !== null && !('error' in open)) return open
  const recorded = (await roundFiles.round(roundId))?.published ?? null
  if (recorded === null && open !== null) throw open.error
  return recorded
}

/** A task by the hub's own id, which those have that had to wait, or by that of its round. @throws {@link ApiError} 503 `unavailable`. */
export async function findTask(
  services: Records & Pick<Services, 'tasks' | 'archive'>,
  id: string,
): Promise<TaskRecord | null> {
  if (id.startsWith('task:')) {
    const round = await findRound(services, id)
    return round && { task: taskOf(round), round }
  }
  const { store } = await services.archive()
  const [found, archivedBefore] = await Promise.all([services.tasks.find(id), store.archivedBefore()])
  if (found === null && archivedBefore !== null) {
    const round = await findWaited(services, id)
    return round && { task: taskOf(round), round }
  }
  const roundId = found?.task.roundId ?? null
  return found && roundId !== null ? { ...found, round: await latest(services, roundId, found.round) } : found
}

/** The row of a round's task, from the row of the round. */
export const taskOf = (round: RoundRow): TaskRow => ({
  taskId: round.taskId ?? round.roundId,
  // A task is of a project.
  projectId: round.projectId as string,
  roundId: round.roundId,
  function: round.function,
  gasLimit: round.gasLimit,
  inputHash: round.inputHash,
  error: null,
  createdAt: round.createdAt ?? round.issuedAt,
})
