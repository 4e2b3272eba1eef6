import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { medianOf } from './epoch-rounds.ts'
import { archivedBefore } from './round-lists.ts'
import { roundColumns } from './rounds.ts'
import {
  archives,
  epochReceipts,
  epochRounds,
  type LeaseKey,
  leases,
  networkHours,
  rounds,
  tasks,
} from './schema/index.ts'
import { isEpoch, isOneOf, isSameEpoch, jsonParts } from './statements.ts'

/** Limits for the rounds of tasks that the database keeps; the limit that is reached first counts. */
export interface RoundRetention {
  days: number
  rounds: number
  /** The size of the whole database. */
  bytes: number
}

/** An epoch whose rounds are in the database. */
export interface KeptEpoch {
  projectId: string
  epoch: number
  startsAt: number
  endsAt: number
  /** How many of its rounds ended. */
  rounds: number
}

export type EpochPosition = Pick<KeptEpoch, 'endsAt' | 'projectId' | 'epoch'>
export type ArchiveRow = typeof archives.$inferSelect
/** An archive that is whole in the bucket. */
export type NewArchive = Omit<ArchiveRow, 'medianFinalityMs'>

/** A row as the database has it. */
export type PlainRow = Record<string, string | number | null>

/** A round with the keys of its leases, where its row has them. */
export interface KeptRow {
  row: PlainRow & { round_id: string; issued_at: number; state: string }
  leaseKeys: readonly LeaseKey[] | null
}

/** The position at which a page ends, in one of the two ranges of an epoch: rounds with a result, and the others. */
export interface PagePosition {
  isFinal: boolean
  issuedAt: number
  roundId: string
}

/** Keys of leases with the id of their round. */
export type RoundLeases = readonly { roundId: string; leaseKeys: readonly LeaseKey[] }[]

const daySecs = 86_400
/** An epoch without units that has no receipt after this time pays nobody. */
const unpaidSecs = daySecs
const examinedMax = 200

// The input is not among the columns that anybody may read.
const { input: _, ...shown } = roundColumns
const shownColumns = sql.join(Object.values(shown), sql`, `)

/** Rounds on their way from the database into archives, and what the database knows of archives. */
export class ArchiveStore extends Store {
  /**
   * Epochs that are due, the oldest first, among the next `examinedMax` after a position. An epoch is due once it is old enough
   * and posted, or pays nobody. While the database is larger than it may be, each epoch is old enough. @param now - Network
   * time.
   * @returns `last` is null at the end.
   */
  async due(retention: RoundRetention, after: EpochPosition | null, now: number) {
    const since = Math.floor((now - retention.days * daySecs) / 3_600)
    // The newest hour with which the count of rounds, from the newest hour back, exceeds `retention.rounds`.
    const [counted] = await batch(this.db, [
      sql`SELECT max(hour) AS hour FROM (SELECT ${networkHours.hour}, sum(${networkHours.rounds}) OVER (ORDER BY ${networkHours.hour} DESC) AS kept
        FROM ${networkHours} WHERE ${networkHours.hour} >= ${since}) WHERE kept > ${retention.rounds}`,
    ])
    const isFull = (counted?.meta.size_after ?? 0) > retention.bytes
    const [{ hour } = { hour: null }] = (counted?.results ?? []) as { hour: number | null }[]
    const oldEnough = Math.max(now - retention.days * daySecs, ((hour ?? -1) + 1) * 3_600)
    const { projectId, epoch, endsAt } = epochRounds
    const {
      endsAt: last,
      projectId: lastProject,
      epoch: lastEpoch,
    } = after ?? { endsAt: -1, projectId: '', epoch: 0 }
    const found = await this.db.all<KeptEpoch & { isDue: number }>(sql`
      SELECT ${projectId} AS projectId, ${epoch} AS epoch, ${endsAt} - (${epochRounds.terms}->>'epoch_secs') AS startsAt,
        ${endsAt} AS endsAt, ${epochRounds.rounds} AS rounds,
        iif(${epochReceipts.state} IS NULL, ${epochRounds.units} = 0 AND ${endsAt} <= ${now - unpaidSecs},
          ${epochReceipts.state} IN ('settled', 'vetoed')) AS isDue
      FROM ${epochRounds} INDEXED BY epoch_rounds_kept LEFT JOIN ${epochReceipts} ON ${isSameEpoch(epochReceipts, epochRounds)}
      WHERE ${epochRounds.archived} = 0 AND (${endsAt}, ${projectId}, ${epoch}) > (${last}, ${lastProject}, ${lastEpoch})
        AND ${endsAt} <= ${isFull ? now : Math.min(now, oldEnough)}
      ORDER BY ${endsAt}, ${projectId}, ${epoch} LIMIT ${examinedMax}`)
    const due = found.filter(({ isDue }) => isDue === 1).map(({ isDue: _, ...one }) => one)
    return { due, isFull, last: found.length < examinedMax ? null : (found.at(-1) ?? null) }
  }

  /** How many rounds of an epoch ended, as of now. */
  async endedRounds({ projectId, epoch }: KeptEpoch): Promise<number> {
    const [row] = await this.db
      .select({ rounds: epochRounds.rounds })
      .from(epochRounds)
      .where(isEpoch(epochRounds, projectId, epoch))
    return row?.rounds ?? 0
  }

  /** The next rounds of an epoch. @returns `next` is null after the last; null for the page once rounds of the epoch have left. */
  async page({ projectId, epoch, startsAt, endsAt }: KeptEpoch, after: PagePosition | null, limit: number) {
    const { state, issuedAt, roundId } = rounds
    const range = (isFinal: boolean) => {
      const last = after?.isFinal === isFinal ? after : { issuedAt: startsAt, roundId: '' }
      const name = sql.raw(isFinal ? 'rounds_final_of_project' : 'rounds_other_of_project')
      return sql`SELECT ${shownColumns}, ${rounds.leaseKeys} FROM ${rounds} INDEXED BY ${name}
        WHERE ${isFinal ? sql`${state} = 'finalized'` : sql`${state} <> 'finalized'`} AND ${rounds.projectId} = ${projectId}
          AND ${rounds.epoch} = ${epoch} AND ${issuedAt} < ${endsAt} AND (${issuedAt}, ${roundId}) > (${last.issuedAt}, ${last.roundId})
        ORDER BY ${issuedAt}, ${roundId} LIMIT ${limit}`
    }
    const ranges = after?.isFinal === false ? [false] : [true, false]
    const [left, ...pages] = await batch(this.db, [
      sql`SELECT 1 FROM ${archives} WHERE ${isEpoch(archives, projectId, epoch)}`,
      ...ranges.map(range),
    ])
    if ((left?.results.length ?? 0) > 0) return null
    const [first = [], second = []] = pages.map(({ results }) => results as PlainRow[])
    const isFull = first.length === limit
    const found = isFull ? first : [...first, ...second]
    const isLast = isFull ? false : (ranges.length === 1 ? first : second).length < limit
    const rows = found.map(keptRow)
    const end = rows.at(-1)?.row
    const next =
      isLast || end === undefined
        ? null
        : { isFinal: isFull && ranges[0] === true, issuedAt: end.issued_at, roundId: end.round_id }
    return { rows, next }
  }

  /** Rounds of an epoch that are still here, whatever else of it has left. */
  async remaining({ projectId, epoch, startsAt, endsAt }: KeptEpoch, limit: number): Promise<KeptRow[]> {
    const { state, issuedAt } = rounds
    const range = (
      index: string,
      isOfRange: SQL,
    ) => sql`SELECT * FROM (SELECT ${rounds.roundId}, ${issuedAt}, ${state}, ${rounds.leaseKeys}
      FROM ${rounds} INDEXED BY ${sql.raw(index)} WHERE ${isOfRange} AND ${rounds.projectId} = ${projectId} AND ${rounds.epoch} = ${epoch}
        AND ${issuedAt} >= ${startsAt} AND ${issuedAt} < ${endsAt} LIMIT ${limit})`
    const found = await this.db.all<PlainRow>(
      sql`${range('rounds_final_of_project', sql`${state} = 'finalized'`)}
        UNION ALL ${range('rounds_other_of_project', sql`${state} <> 'finalized'`)}`,
    )
    return found.map(keptRow)
  }

  /** The leases of rounds, and their tasks that waited, by round. */
  async attached(of: RoundLeases): Promise<{ leases: PlainRow[]; tasks: PlainRow[] }> {
    const [waited, ...found] = await batch(this.db, [
      sql`SELECT * FROM ${tasks} WHERE ${isOneOf(
        tasks.roundId,
        of.map(({ roundId }) => roundId),
      )}`,
      ...leaseParts(of).map(
        (
          part,
        ) => sql`SELECT ${leases}.* FROM json_each(${part}) AS one CROSS JOIN ${leases} ON ${leases.owner} = one.value->>0
          AND ${leases.createdAt} = one.value->>1 AND ${leases.roundId} = one.value->>2 AND ${leases.position} = one.value->>3`,
      ),
    ])
    return {
      tasks: (waited?.results ?? []) as PlainRow[],
      leases: found.flatMap(({ results }) => results as PlainRow[]),
    }
  }

  /** Deletes rounds with their leases and tasks; from the first time on no round of the epoch is written. */
  async remove(archive: NewArchive, of: RoundLeases): Promise<void> {
    const { projectId, epoch } = archive
    const ids = of.map(({ roundId }) => roundId)
    await batch(this.db, [
      sql`INSERT INTO ${archives} (project_id, epoch, rounds, bytes, sha256, last_issued_at, archived_at, median_finality_ms)
        SELECT ${projectId}, ${epoch}, ${archive.rounds}, ${archive.bytes}, ${archive.sha256}, ${archive.lastIssuedAt},
          ${archive.archivedAt}, (${medianOf(projectId, epoch)}) FROM ${epochRounds} WHERE ${isEpoch(epochRounds, projectId, epoch)}
          AND NOT EXISTS (SELECT 1 FROM ${archives} WHERE ${isEpoch(archives, projectId, epoch)})`,
      ...leaseParts(of).map(
        (part) => sql`DELETE FROM ${leases} WHERE (owner, created_at, round_id, position) IN
          (SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${part}))`,
      ),
      this.db.delete(tasks).where(isOneOf(tasks.roundId, ids)),
      this.db.delete(rounds).where(isOneOf(rounds.roundId, ids)),
    ])
  }

  /** Notes that the archive of an epoch is whole, or that its rounds stay: it is due no more. */
  async settle({ projectId, epoch }: KeptEpoch, outcome: 'archived' | 'stays'): Promise<void> {
    const archived = outcome === 'archived' ? 1 : null
    await this.db
      .update(epochRounds)
      .set({ archived })
      .where(isEpoch(epochRounds, projectId, epoch))
  }

  /** Rounds that began before this time may be in archives alone; null if none is. */
  async archivedBefore(): Promise<number | null> {
    const [row] = await this.db.all<{ at: number }>(sql`SELECT at FROM (${archivedBefore(undefined)})`)
    return row?.at ?? null
  }

  async find(projectId: string, epoch: number): Promise<ArchiveRow | null> {
    return (
      (await this.db
        .select()
        .from(archives)
        .where(isEpoch(archives, projectId, epoch))
        .get()) ?? null
    )
  }

  /** The archives of a project, the newest epoch first. Longer epochs have smaller numbers, so their rounds order them. */
  async list(
    projectId: string,
    after: Pick<ArchiveRow, 'lastIssuedAt' | 'epoch'> | undefined,
    limit: number,
  ): Promise<ArchiveRow[]> {
    return this.db
      .select()
      .from(archives)
      .where(
        and(
          eq(archives.projectId, projectId),
          after &&
            sql`(${archives.lastIssuedAt}, ${archives.epoch}) < (${after.lastIssuedAt}, ${after.epoch})`,
        ),
      )
      .orderBy(desc(archives.lastIssuedAt), desc(archives.epoch))
      .limit(limit)
  }
}

const keptRow = ({ lease_keys: keys, ...row }: PlainRow): KeptRow => ({
  row: row as KeptRow['row'],
  leaseKeys: keys == null ? null : (JSON.parse(String(keys)) as LeaseKey[]),
})

const leaseParts = (of: RoundLeases): string[] =>
  jsonParts(
    of.flatMap(({ roundId, leaseKeys }) =>
      leaseKeys.map(([owner, createdAt, position]) => [owner, createdAt, roundId, position]),
    ),
  )
