import { type CopiedTable, dumpPage, endLoading, loadRows } from '../object-copy.ts'
import { sqlOf } from '../sql.ts'
import { resumedAtKey } from './sequences.ts'
import type { TaskRequest } from './tasks.ts'

/** How many rounds of an epoch are over. */
export interface EndedRounds {
  readonly epoch: number
  readonly rounds: number
}

export interface QueuedTask extends Pick<TaskRequest, 'taskId' | 'function' | 'gasLimit' | 'inputHash'> {
  readonly createdAt: number
}

/** Epochs of one length that are later by this many: those of any other length differ from it by a third in their numbers. */
const later = `SELECT 1 FROM stored_sequences AS later
  WHERE later.epoch BETWEEN stored_sequences.epoch + 1000 AND stored_sequences.epoch * 5 / 4`

/** Tables of a project that a backup has: epochs that are older were posted long ago. */
const tables: readonly CopiedTable[] = [
  { name: 'stored_sequences', key: 'epoch', where: `NOT EXISTS (${later})` },
  { name: 'tasks', key: 'task_id' },
  { name: 'keys', key: 'idempotency_key' },
]

export const dumpProject = (storage: DurableObjectStorage, cursor: string | null) =>
  dumpPage(storage, tables, cursor)

export const loadProject = (
  storage: DurableObjectStorage,
  backup: string,
  rows: Parameters<typeof loadRows>[3],
) => loadRows(storage, tables, backup, rows)

/** The tasks that wait, as everybody may read of them. */
export function queuedTasks(storage: DurableObjectStorage): QueuedTask[] {
  const rows = sqlOf(storage)<{ request: string; created_at: number }>`
    SELECT request, created_at FROM tasks WHERE state = 'queued' ORDER BY position`
  return rows.map(({ request, created_at: createdAt }) => {
    const { taskId, function: name, gasLimit, inputHash } = JSON.parse(request) as TaskRequest
    return { taskId, function: name, gasLimit, inputHash, createdAt }
  })
}

/** The rounds that are not over, as the rows say. */
export const openRoundIds = (storage: DurableObjectStorage): string[] =>
  sqlOf(storage)<{ id: string }>`SELECT round_id AS id FROM tasks WHERE round_id IS NOT NULL`.map(
    ({ id }) => id,
  )

/**
 * Goes on from a backup, once. Tasks that came after it are lost, and no epoch waits for those of them that are not over.
 * @param ended - Of the last epochs, as the database counts them.
 * @returns False, and nothing changes, where the object works with tasks that no backup gave it.
 */
export function goOnAfter(
  storage: DurableObjectStorage,
  ended: readonly EndedRounds[],
  endedIds: readonly string[],
  now: number,
): boolean {
  const sql = sqlOf(storage)
  return storage.transactionSync(() => {
    const isFirst = endLoading(storage, tables)
    if (isFirst !== true) return isFirst !== null
    storage.kv.put(resumedAtKey, now)
    const given = new Map<number, number>()
    for (const { epoch, seq } of sql<{ epoch: number; seq: number }>`
      SELECT epoch, max(terms ->> '$.task.seq') AS seq FROM tasks WHERE round_id IS NOT NULL GROUP BY epoch`)
      given.set(epoch, seq + 1)
    sql`DELETE FROM tasks WHERE round_id IN (SELECT value FROM json_each(${JSON.stringify(endedIds)}))`
    for (const epoch of new Set([...given.keys(), ...ended.map((one) => one.epoch)])) {
      const rounds = ended.find((one) => one.epoch === epoch)?.rounds ?? 0
      const [stored] = sql<{ next: number }>`SELECT next FROM stored_sequences WHERE epoch = ${epoch}`
      const [open] = sql<{ n: number }>`
        SELECT count(*) AS n FROM tasks WHERE round_id IS NOT NULL AND epoch = ${epoch}`
      const next = Math.max(stored?.next ?? 0, given.get(epoch) ?? 0, rounds + open!.n)
      sql`INSERT OR REPLACE INTO stored_sequences (epoch, next, skipped)
        VALUES (${epoch}, ${next}, ${next - rounds - open!.n})`
    }
    return true
  })
}
