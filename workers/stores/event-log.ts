import { and, asc, eq, type InferSelectModel, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { unixNow } from '../../durable-objects/clock.ts'
import type { LogRow } from '../../durable-objects/events/rows.ts'
import { keysOf, type LoggedEvent, type Position } from '../../durable-objects/events/types.ts'
import { batch, isChanged, Store } from './database.ts'
import { eventFollowers, eventLog, payoutsToTell } from './schema/index.ts'
import { insertFrom, partsOf, ReadyStatement } from './statements.ts'

/** Rows that one request looks at, and has the bodies of. */
const lookedAtMax = 500
/** Rows that are looked at for the newest events, of which a filter may want few. Of those that it wants, no more than a page is read. */
const lookedBackMax = 5_000
const rowsMax = 32

export type DuePayouts = InferSelectModel<typeof payoutsToTell>

export interface ReadRows {
  /** Oldest first. */
  rows: LogRow[]
  /** The position after what was looked at. */
  end: Position
  /** If rows between the position and the first kept row are deleted: when the first kept row was written; else null. */
  archivedBefore: number | null
  /** The newest row of the log; 0 for none. */
  newest: number
}

/** The log of events. Rows are only added, and the oldest are deleted. */
export class EventLogStore extends Store {
  /**
   * Rows from a position on that have one word of each list, or the newest of these if no position is given. A page has few rows, or none, where
   * few of those that it looks at have the words; the next one goes on at its end.
   */
  async read(from: Position | null, words: readonly (readonly (string | SQL)[])[]): Promise<ReadRows> {
    const { id, at, keys, body } = eventLog
    const looked = from === null ? lookedBackMax : lookedAtMax
    const bound = (order: 'ASC' | 'DESC') =>
      sql`SELECT ${id} FROM ${eventLog} ORDER BY ${id} ${sql.raw(order)} LIMIT 1`
    // Numbers are left out where a database was restored.
    const next = sql`SELECT ${id} FROM ${eventLog} WHERE ${id} >= ${from?.row ?? 0} ORDER BY ${id} LIMIT 1`
    const first =
      from === null ? sql`coalesce((${bound('DESC')}), 0) - ${looked}` : sql`coalesce((${next}), ${from.row})`
    const has = words.map((some) => {
      const each = some.map((word) => sql`instr(${keys}, ${word})`)
      return sql` AND (${sql.join(each, sql` OR `)})`
    })
    // One statement, so that no row comes between its parts.
    const found = await this.db.all<LogRow & { part: 'row' | 'oldest' | 'next' | 'newest'; at: number }>(sql`
      SELECT 'row' AS part, * FROM (SELECT ${id} AS id, ${at} AS at, ${keys} AS keys, ${body} AS body FROM ${eventLog}
        WHERE ${id} >= ${first} AND ${id} < ${first} + ${looked} + 1 ${sql.join(has)}
        ORDER BY ${id} ${sql.raw(from === null ? 'DESC' : 'ASC')} LIMIT ${rowsMax})
      UNION ALL SELECT 'oldest', ${id}, ${at}, '', '' FROM ${eventLog} WHERE ${id} = (${bound('ASC')})
      UNION ALL SELECT 'next', ${id}, ${at}, '', '' FROM ${eventLog} WHERE ${id} = (${next})
      UNION ALL SELECT 'newest', ${id}, ${at}, '', '' FROM ${eventLog} WHERE ${id} = (${bound('DESC')})`)
    const oldest = found.find(({ part }) => part === 'oldest')
    const newest = found.find(({ part }) => part === 'newest')?.id ?? 0
    const nextId = found.find(({ part }) => part === 'next')?.id ?? 0
    const rows = found.filter(({ part }) => part === 'row').map(({ id, keys, body }) => ({ id, keys, body }))
    rows.sort((a, b) => a.id - b.id)
    if (from === null) return { rows, end: { row: newest + 1, offset: 0 }, archivedBefore: null, newest }
    // The log was restored or lost: rows of these numbers will be others.
    if (from.row > newest + 1)
      return { rows, end: { row: newest + 1, offset: 0 }, archivedBefore: oldest?.at ?? unixNow(), newest }
    const lookedAtTo = Math.min(newest, Math.max(from.row, nextId) + lookedAtMax)
    const endRow = 1 + (rows.length === rowsMax ? (rows.at(-1) as LogRow).id : lookedAtTo)
    return {
      rows,
      end: endRow > from.row ? { row: endRow, offset: 0 } : from,
      archivedBefore: oldest !== undefined && from.row < oldest.id ? oldest.at : null,
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

  async duePayouts(until: number, limit: number): Promise<DuePayouts[]> {
    return this.db
      .select()
      .from(payoutsToTell)
      .where(lte(payoutsToTell.dueAt, until))
      .orderBy(asc(payoutsToTell.dueAt))
      .limit(limit)
  }

  /** Tells the next payouts of an epoch, unless another run did. */
  async tellPayouts(due: DuePayouts, events: readonly LoggedEvent[]): Promise<void> {
    const { told } = payoutsToTell
    const isNext = sql`EXISTS (SELECT 1 FROM ${payoutsToTell} WHERE ${isDue(due)} AND ${told} = ${due.told})`
    await batch(this.db, [
      ...partsOf(events, (event) => JSON.stringify(event).length, rowLengthMax).map((part) =>
        ReadyStatement.of(logStatement(isNext)).with(loggedValues(part, part)),
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

  /**
   * Deletes some of the rows that are older than `before`, or precede the newest `bytesKept` bytes. The newest row stays, from
   * which positions count.
   */
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

/** Adds a row of {@link loggedValues} while the guard holds. */
export function logStatement(guard: SQL): SQLWrapper {
  const { id, total } = eventLog
  const body = sql.placeholder('body')
  return insertFrom(
    eventLog,
    {
      at: sql.placeholder('at'),
      total: sql`coalesce((SELECT ${total} FROM ${eventLog} ORDER BY ${id} DESC LIMIT 1), 0) + octet_length(${body})`,
      keys: sql.placeholder('keys'),
      body,
    },
    sql`WHERE ${guard}`,
  )
}

/** @param body - From which the events follow. */
export const loggedValues = (events: readonly LoggedEvent[], body: unknown) => ({
  at: unixNow(),
  keys: keysOf(events),
  body: JSON.stringify(body),
})
