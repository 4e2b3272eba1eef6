import { and, asc, eq, type InferSelectModel, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { unixNow } from '../../durable-objects/clock.ts'
import type { LogRow } from '../../durable-objects/events/rows.ts'
import { keysOf, type LoggedEvent, type Position } from '../../durable-objects/events/types.ts'
import { batch, isChanged, Store } from './database.ts'
import { eventFollowers, eventLog, payoutsToTell } from './schema/index.ts'
import { insertFrom, partsOf } from './statements.ts'

/** Rows that one request looks at, has the bodies of, and the bytes of these. */
const lookedAtMax = 500
const rowsMax = 64
const bytesMax = 1_000_000

export type DuePayouts = InferSelectModel<typeof payoutsToTell>

export interface ReadRows {
  /** Oldest first. */
  rows: LogRow[]
  /** The position after what was looked at. */
  end: Position
  /** Where rows between the position and the first one that is kept are deleted: when the first one was written. */
  archivedBefore: number | null
  /** The newest row of the log; 0 for none. */
  newest: number
}

interface BoundedRow extends LogRow {
  upto: number
  oldest: number | null
  oldestAt: number | null
  newest: number | null
}

/** The log of events. Rows are only added, and the oldest are deleted. */
export class EventLogStore extends Store {
  /**
   * Rows from a position on that have one word of each list, or the newest of these where there is none. A page has few rows, or none, where
   * few of those that it looks at have the words; the next one goes on at its end.
   */
  async read(from: Position | null, words: readonly (readonly (string | SQL)[])[]): Promise<ReadRows> {
    const { id, at, keys, body } = eventLog
    const first =
      from === null
        ? sql`coalesce(newest, 0) - ${lookedAtMax - 1}`
        : sql`max(${from.row}, coalesce(oldest, 0))`
    const order = from === null ? sql`DESC` : sql`ASC`
    const has = words.map(
      (some) =>
        sql`(${sql.join(
          some.map((word) => sql`instr(${keys}, ${word})`),
          sql` OR `,
        )})`,
    )
    const found = await this.db.all<BoundedRow>(sql`
      WITH bounds AS (SELECT (SELECT ${id} FROM ${eventLog} ORDER BY ${id} LIMIT 1) AS oldest,
        (SELECT ${at} FROM ${eventLog} ORDER BY ${id} LIMIT 1) AS oldestAt,
        (SELECT ${id} FROM ${eventLog} ORDER BY ${id} DESC LIMIT 1) AS newest),
      matching AS (SELECT ${id} AS id, ${keys} AS keys, ${body} AS body FROM bounds CROSS JOIN ${eventLog}
        WHERE ${id} >= ${first} AND ${id} < ${first} + ${lookedAtMax} ${sql.join(has.map((one) => sql`AND ${one} `))}
        ORDER BY ${id} ${order} LIMIT ${rowsMax}),
      summed AS (SELECT *, sum(octet_length(body)) OVER (ORDER BY id ${order}) AS upto FROM matching)
      SELECT bounds.*, summed.* FROM bounds LEFT JOIN summed ON upto - octet_length(body) < ${bytesMax} ORDER BY id`)
    const { oldest = null, oldestAt = null } = found[0] ?? {}
    const newest = found[0]?.newest ?? 0
    const rows = found.filter((row) => row.id !== null).map(({ id, keys, body }) => ({ id, keys, body }))
    if (from === null) return { rows, end: { row: newest + 1, offset: 0 }, archivedBefore: null, newest }
    const isCut = rows.length === rowsMax || (found.at(-1)?.upto ?? 0) >= bytesMax
    const lookedAtTo = Math.min(newest, Math.max(from.row, oldest ?? 0) + lookedAtMax - 1)
    const endRow = 1 + (isCut ? (rows.at(-1) as LogRow).id : lookedAtTo)
    return {
      rows,
      end: endRow > from.row ? { row: endRow, offset: 0 } : from,
      archivedBefore: oldest !== null && from.row < oldest ? oldestAt : null,
      newest,
    }
  }

  /** Notes that somebody waits in an object of followers. */
  async noteFollowed(shard: number): Promise<void> {
    const until = unixNow() + followedSecs
    await this.db
      .insert(eventFollowers)
      .values({ shard, until })
      .onConflictDoUpdate({ target: eventFollowers.shard, set: { until } })
  }

  async duePayouts(now: number, limit: number): Promise<DuePayouts[]> {
    return this.db
      .select()
      .from(payoutsToTell)
      .where(lte(payoutsToTell.dueAt, now))
      .orderBy(asc(payoutsToTell.dueAt))
      .limit(limit)
  }

  /** Tells the next payouts of an epoch, unless another run did. */
  async tellPayouts(due: DuePayouts, events: readonly LoggedEvent[]): Promise<void> {
    const { told } = payoutsToTell
    const isNext = sql`EXISTS (SELECT 1 FROM ${payoutsToTell} WHERE ${isDue(due)} AND ${told} = ${due.told})`
    await batch(this.db, [
      ...partsOf(events, (event) => JSON.stringify(event).length, rowLengthMax).map((part) =>
        logStatement(part, part, isNext),
      ),
      this.db
        .update(payoutsToTell)
        .set({ told: due.told + events.length })
        .where(and(isDue(due), eq(told, due.told))),
    ])
  }

  async forgetPayouts(due: DuePayouts): Promise<void> {
    await this.db.delete(payoutsToTell).where(isDue(due))
  }

  /** Deletes some of the rows that are too old, or before the newest so many bytes. The newest row stays, from which positions count. */
  async purge(before: number, bytesKept: number): Promise<void> {
    const { id, at, total } = eventLog
    for (let parts = 0; parts < purgedPartsMax; parts++) {
      const [deleted] = await batch(this.db, [
        sql`DELETE FROM ${eventLog} WHERE ${id} IN (
          SELECT oldest.id FROM (SELECT ${id} AS id, ${at} AS at, ${total} AS total FROM ${eventLog}
            ORDER BY ${id} LIMIT ${purgedMax}) AS oldest
          CROSS JOIN (SELECT ${id} AS id, ${total} AS total FROM ${eventLog} ORDER BY ${id} DESC LIMIT 1) AS newest
          WHERE oldest.id < newest.id AND (oldest.at < ${before} OR oldest.total <= newest.total - ${bytesKept}))`,
      ])
      if (!isChanged(deleted)) return
    }
  }
}

const isDue = ({ dueAt, projectId, epoch }: DuePayouts) =>
  and(eq(payoutsToTell.dueAt, dueAt), eq(payoutsToTell.projectId, projectId), eq(payoutsToTell.epoch, epoch))

/** A reader has the bodies of a few rows at once, so none is large. */
export const rowLengthMax = 64_000

/** Longer than until it is noted again. */
const followedSecs = 90

/** The objects in which somebody waits. */
export const followedStatement = () =>
  sql`SELECT ${eventFollowers.shard} AS shard FROM ${eventFollowers} WHERE ${eventFollowers.until} > ${unixNow()}`

/** More than are written between two runs of the schedule. */
const purgedMax = 200
const purgedPartsMax = 50

/** Adds a row with these events while the guard holds. @param body - From which they follow. */
export function logStatement(events: readonly LoggedEvent[], body: unknown, guard: SQL): SQLWrapper {
  const text = JSON.stringify(body)
  const { id, total } = eventLog
  return insertFrom(
    eventLog,
    {
      at: unixNow(),
      total: sql`coalesce((SELECT ${total} FROM ${eventLog} ORDER BY ${id} DESC LIMIT 1), 0) + octet_length(${text})`,
      keys: keysOf(events),
      body: text,
    },
    sql`WHERE ${guard}`,
  )
}
