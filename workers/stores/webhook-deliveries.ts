import { eq, getTableColumns, isNotNull, lte, type SQLWrapper, sql } from 'drizzle-orm'
import type { Position } from '../../durable-objects/events/types.ts'
import {
  attemptsKept,
  attemptsMax,
  failingSecsMax,
  keptSecs,
  type Load,
  outageSecs,
  pauseBefore,
  probeEarlySecs,
  probeSecs,
  slowMs,
} from '../../durable-objects/webhooks/rules.ts'
import { batch, isChanged, Store } from './database.ts'
import { type Attempt, webhookDeliveries, webhookReader, webhooks } from './schema/webhooks.ts'
import { insertFrom, jsonParts } from './statements.ts'
import { type Delivery, isDelivery, trimStatement, type Webhook } from './webhooks.ts'

/** The members of a webhook that the reader compares events with. */
export type Interest = Pick<Webhook, 'webhookId' | 'owner' | 'types' | 'projectIds' | 'fromRow'>

/** Names the next attempt of a delivery. */
export type Due = Pick<Delivery, 'webhookId' | 'number' | 'attemptsMade'>

/** A webhook with events that are not deliveries yet. */
export interface Waiting extends Interest, Load {
  from: Position
}

/** Events that become deliveries of a webhook. */
export interface Portion {
  webhook: Waiting
  /** The messages to send; of a gap, the body to show. */
  bodies: readonly { state: 'pending' | 'gap'; body: string }[]
  next: Position
  nextAt: number
}

/** A delivery with all that sending it needs. */
export interface Prepared extends Delivery {
  url: string
  secrets: Webhook['secrets']
  failingSince: number | null
  isSlow: boolean
}

/** The position of a reader, and the version of the webhooks that it knew. */
export interface ReaderState {
  row: number
  version: number
}

interface RawWaiting {
  webhook_id: string
  owner: string
  types: string
  project_ids: string | null
  from_row: number
  failing_since: number | null
  is_slow: number
  next_row: number
  next_offset: number
  pending: number | null
  under_way: number | null
  earliest_due: number | null
  owner_pending: number | null
  owner_under_way: number | null
}

/** How many webhooks are looked after at once, and messages that are sent again. */
export const waitingMax = 20
const resentMax = 100
const probedMax = 20
/** A message that has not come this long after its attempt was due is sent again. */
export const lostSecs = 300

/** Written out, as in the conditions of the indexes. */
const isPending = sql`${webhookDeliveries.state} = 'pending'`
const isActive = sql`${webhooks.state} = 'active'`

const isReader = ({ row, version }: ReaderState) =>
  sql`${webhookReader.row} = ${row} AND ${webhookReader.version} = ${version}`

const isSlow = ({ durationMs }: Attempt): boolean => durationMs > slowMs

/** Makes deliveries from the log of events, and notes their outcomes. */
export class WebhookDeliveryStore extends Store {
  /** Whether anything is to be read or sent. */
  async isNeeded(): Promise<boolean> {
    const [row] = await this.db.all<{ needed: number }>(sql`SELECT
      EXISTS (SELECT 1 FROM ${webhooks} WHERE ${isActive})
      OR EXISTS (SELECT 1 FROM ${webhookDeliveries} WHERE ${isPending}) AS needed`)
    return row?.needed === 1
  }

  /** The state of the reader, whether a webhook waits, and the messages to send because they seem lost or are probes: these count as sent. */
  async look(now: number): Promise<ReaderState & { waits: boolean; due: Due[] }> {
    const { webhookId, number, attemptsMade, dueAt } = webhookDeliveries
    const lost = sql`SELECT ${webhookId}, ${number} FROM ${webhookDeliveries}
      WHERE ${isPending} AND ${dueAt} <= ${now - lostSecs} ORDER BY ${dueAt} LIMIT ${resentMax}`
    const probed = sql`SELECT ${webhooks.webhookId} FROM ${webhooks} WHERE ${lte(webhooks.probeAt, now)}
      ORDER BY ${webhooks.probeAt} LIMIT ${probedMax}`
    const [state, resent, probes] = await batch(this.db, [
      sql`SELECT ${webhookReader.row} AS row, ${webhookReader.version} AS version,
        EXISTS (SELECT 1 FROM ${webhooks} WHERE ${isNotNull(webhooks.nextRow)} AND ${lte(webhooks.nextAt, now)}) AS waits
        FROM ${webhookReader}`,
      sql`UPDATE ${webhookDeliveries} SET due_at = ${now} WHERE (${webhookId}, ${number}) IN (${lost})
        RETURNING ${webhookId} AS webhookId, ${number} AS number, ${attemptsMade} AS attemptsMade`,
      sql`SELECT ${webhookId} AS webhookId, ${number} AS number, ${attemptsMade} AS attemptsMade, min(${dueAt})
        FROM ${webhookDeliveries} WHERE ${webhookId} IN (${probed}) AND ${isPending}
        AND ${dueAt} > ${now + probeEarlySecs} GROUP BY ${webhookId}`,
      sql`UPDATE ${webhooks} SET probe_at = ${now + probeSecs} WHERE ${webhooks.webhookId} IN (${probed})`,
    ])
    const [reader] = (state?.results ?? []) as (ReaderState & { waits: number })[]
    if (reader === undefined) throw new Error('the table webhook_reader has no row')
    return {
      ...reader,
      waits: reader.waits === 1,
      due: [resent, probes].flatMap((sent) => (sent?.results ?? []) as Due[]),
    }
  }

  /** The interests of the active webhooks. */
  async interests(): Promise<Interest[]> {
    const { webhookId, owner, types, projectIds, fromRow } = webhooks
    return this.db.select({ webhookId, owner, types, projectIds, fromRow }).from(webhooks).where(isActive)
  }

  /**
   * Moves the reader on, with the first events of the webhooks that nothing waits for yet; `null` notes all of them.
   * @returns false if another reader did, or where webhooks are not those that were compared.
   */
  async note(
    { row: from, version }: ReaderState,
    to: number,
    found: ReadonlyMap<string, Position> | null,
    now: number,
  ): Promise<boolean> {
    const isThen = isReader({ row: from, version })
    const isFree = sql`${isActive} AND ${webhooks.nextRow} IS NULL AND EXISTS (SELECT 1 FROM ${webhookReader} WHERE ${isThen})`
    const rows = [...(found ?? [])].map(([id, { row, offset }]) => ({ id, row, offset }))
    const noted =
      found === null
        ? [
            sql`UPDATE ${webhooks} SET next_row = max(${from}, ${webhooks.fromRow}), next_offset = 0, next_at = ${now}
              WHERE ${isFree}`,
          ]
        : jsonParts(rows).map(
            (part) => sql`UPDATE ${webhooks} SET next_row = f.value->>'row', next_offset = f.value->>'offset',
              next_at = ${now} FROM json_each(${part}) AS f
              WHERE ${webhooks.webhookId} = f.value->>'id' AND ${isFree}`,
          )
    const results = await batch(this.db, [
      ...noted,
      this.db.update(webhookReader).set({ row: to }).where(isThen),
    ])
    return isChanged(results.at(-1))
  }

  /**
   * Takes the reader back to the end of a log that was restored from an older copy. Each webhook gets a gap for the events that
   * it lost.
   */
  async rewind(state: ReaderState, to: number, gap: string, now: number): Promise<void> {
    const isThen = isReader(state)
    const isHere = sql`${isActive} AND EXISTS (SELECT 1 FROM ${webhookReader} WHERE ${isThen})`
    const { webhookId, deliveries, nextRow, nextOffset, fromRow } = webhooks
    await batch(this.db, [
      insertFrom(
        webhookDeliveries,
        {
          ...{ webhookId: sql`${webhookId}`, number: sql`${deliveries} + 1`, createdAt: now },
          ...{ state: 'gap', body: gap, attemptsLeft: 0, dueAt: now + keptSecs },
        },
        sql`FROM ${webhooks} WHERE ${isHere}`,
      ),
      sql`UPDATE ${webhooks} SET deliveries = ${deliveries} + 1, from_row = min(${fromRow}, ${to}),
        next_row = min(${nextRow}, ${to}), next_offset = iif(${nextRow} >= ${to}, 0, ${nextOffset}) WHERE ${isHere}`,
      this.db
        .update(webhookReader)
        .set({ row: to, version: sql`${webhookReader.version} + 1` })
        .where(isThen),
    ])
  }

  /** Webhooks whose turn it is. */
  async waiting(now: number): Promise<Waiting[]> {
    const { nextRow, nextAt } = webhooks
    const { dueAt } = webhookDeliveries
    // Of these wallets, each webhook with deliveries that are not over.
    const rows = await this.db.all<RawWaiting>(sql`WITH
      turn AS (SELECT * FROM ${webhooks} WHERE ${isNotNull(nextRow)} AND ${lte(nextAt, now)}
        ORDER BY ${nextAt} LIMIT ${waitingMax}),
      open AS MATERIALIZED (SELECT ${webhooks.owner} AS owner, ${webhooks.webhookId} AS id, count(*) AS pending,
          sum(${dueAt} <= ${now}) AS under_way, min(${dueAt}) AS earliest_due
        FROM (SELECT DISTINCT owner FROM turn) AS owners
        CROSS JOIN ${webhooks} ON ${webhooks.owner} = owners.owner
        CROSS JOIN ${webhookDeliveries} INDEXED BY webhook_deliveries_open ON ${webhookDeliveries.webhookId} = ${webhooks.webhookId} AND ${isPending}
        GROUP BY ${webhooks.webhookId})
      SELECT turn.*, open.pending, open.under_way, open.earliest_due,
        (SELECT sum(pending) FROM open WHERE open.owner = turn.owner) AS owner_pending,
        (SELECT sum(under_way) FROM open WHERE open.owner = turn.owner) AS owner_under_way
      FROM turn LEFT JOIN open ON open.id = turn.webhook_id ORDER BY turn.next_at`)
    return rows.map((row) => ({
      ...{ webhookId: row.webhook_id, owner: row.owner, fromRow: row.from_row },
      types: JSON.parse(row.types),
      projectIds: row.project_ids === null ? null : JSON.parse(row.project_ids),
      ...{ failingSince: row.failing_since, isSlow: row.is_slow === 1, earliestDue: row.earliest_due },
      ...{ pending: row.pending ?? 0, underWay: row.under_way ?? 0 },
      ...{ pendingOfOwner: row.owner_pending ?? 0, underWayOfOwner: row.owner_under_way ?? 0 },
      from: { row: row.next_row, offset: row.next_offset },
    }))
  }

  /**
   * Makes deliveries and moves their webhooks on, each unless another reader did. A webhook that has reached the reader waits
   * no more.
   * @returns The messages to send.
   */
  async deliver(portions: readonly Portion[], now: number): Promise<Due[]> {
    const results = await batch(
      this.db,
      portions.flatMap((portion) => portionStatements(portion, now)),
    )
    const made = results.flatMap(
      ({ results: rows }) => rows as { webhook_id: string; number: number; state: string }[],
    )
    return made
      .filter(({ state }) => state === 'pending')
      .map(({ webhook_id: webhookId, number }) => ({ webhookId, number, attemptsMade: 0 }))
  }

  /** The deliveries that these messages name, ready to be sent. */
  async prepare(due: readonly Pick<Due, 'webhookId' | 'number'>[]): Promise<Prepared[]> {
    const { url, secrets, failingSince, isSlow } = webhooks
    return this.db
      .select({ ...getTableColumns(webhookDeliveries), url, secrets, failingSince, isSlow })
      .from(webhookDeliveries)
      .innerJoin(webhooks, eq(webhooks.webhookId, webhookDeliveries.webhookId))
      .where(
        sql`(${webhookDeliveries.webhookId}, ${webhookDeliveries.number}) IN
          (SELECT value->>0, value->>1 FROM json_each(${JSON.stringify(due.map(({ webhookId, number }) => [webhookId, number]))}))`,
      )
  }

  /** Notes an attempt that succeeded. After an outage everything else that waits counts as due. */
  async succeed(delivery: Prepared, attempt: Attempt, now: number): Promise<void> {
    const { webhookId, failingSince } = delivery
    const isOutage = failingSince !== null && failingSince <= now - outageSecs
    await batch(this.db, [
      noteStatement(delivery, attempt, { state: 'delivered', attemptsLeft: 0, dueAt: now + keptSecs }),
      ...(isOutage
        ? [
            sql`UPDATE ${webhookDeliveries} SET due_at = ${now - lostSecs}
              WHERE ${webhookDeliveries.webhookId} = ${webhookId} AND ${isPending} AND ${webhookDeliveries.dueAt} > ${now}`,
          ]
        : []),
      this.db
        .update(webhooks)
        .set({
          ...{ failingSince: null, probeAt: null, isSlow: isSlow(attempt) },
          nextAt: sql`iif(${webhooks.nextRow} IS NULL, NULL, ${now})`,
        })
        .where(
          sql`${webhooks.webhookId} = ${webhookId}
            AND (${isNotNull(webhooks.failingSince)} OR ${webhooks.isSlow} <> ${Number(isSlow(attempt))})`,
        ),
    ])
  }

  /**
   * Notes an attempt that failed. A webhook is disabled when a delivery has used all of its attempts, and no other succeeded
   * for days; tests and attempts by hand do not count. @returns Seconds to the next attempt; null if it was the last.
   */
  async fail(delivery: Prepared, attempt: Attempt, now: number): Promise<number | null> {
    const { webhookId, failingSince } = delivery
    const isByHand = delivery.attemptsLeft === 0
    const attemptsLeft = Math.max(0, delivery.attemptsLeft - 1)
    const pause = attemptsLeft > 0 ? pauseBefore(attemptsLeft) : null
    const outcome = {
      ...{ state: pause === null ? ('failed' as const) : ('pending' as const), attemptsLeft },
      dueAt: now + (pause ?? keptSecs),
    }
    const statements: SQLWrapper[] = [noteStatement(delivery, attempt, outcome)]
    const ofWebhook = sql`${webhooks.webhookId} = ${webhookId} AND ${isActive}`
    if (!isByHand && (failingSince === null || delivery.isSlow !== isSlow(attempt)))
      statements.push(
        this.db
          .update(webhooks)
          .set({
            failingSince: sql`coalesce(${webhooks.failingSince}, ${now})`,
            probeAt: sql`coalesce(${webhooks.probeAt}, ${now + probeSecs})`,
            isSlow: isSlow(attempt),
          })
          .where(ofWebhook),
      )
    if (!isByHand && pause === null && failingSince !== null && failingSince <= now - failingSecsMax)
      statements.push(
        this.db
          .update(webhooks)
          .set({ state: 'disabled', disabledBecause: 'failing' })
          .where(sql`${ofWebhook} AND ${webhooks.failingSince} = ${failingSince}`),
      )
    const [noted] = await batch(this.db, statements)
    return isChanged(noted) ? pause : null
  }
}

/** Writes what came of an attempt, once: messages may come twice. */
function noteStatement(
  { webhookId, number, attemptsMade, attempts }: Prepared,
  attempt: Attempt,
  outcome: Pick<Delivery, 'state' | 'attemptsLeft' | 'dueAt'>,
): SQLWrapper {
  const kept = JSON.stringify([...attempts, attempt].slice(-attemptsKept))
  const { state, attemptsLeft, dueAt } = outcome
  // A delivery that was given up during an attempt is not tried again, but the attempt may have succeeded.
  const isOpen = state === 'delivered' ? sql`true` : isPending
  return sql`UPDATE ${webhookDeliveries} SET state = ${state}, attempts_left = ${attemptsLeft}, due_at = ${dueAt},
    attempts_made = ${attemptsMade + 1}, attempts = ${kept}
    WHERE ${isDelivery(webhookId, number)} AND ${webhookDeliveries.attemptsMade} = ${attemptsMade} AND ${isOpen}`
}

function portionStatements({ webhook, bodies, next, nextAt }: Portion, now: number): SQLWrapper[] {
  const { webhookId, from } = webhook
  const { number, state } = webhookDeliveries
  const reader = sql`(SELECT ${webhookReader.row} FROM ${webhookReader})`
  const isHere = sql`${webhooks.webhookId} = ${webhookId} AND ${isActive} AND ${webhooks.nextRow} = ${from.row}
    AND ${webhooks.nextOffset} = ${from.offset} AND ${reader} >= ${next.row}`
  // It moves on by whole rows, so that a webhook at its row has everything.
  const unlessDone = (value: number) => sql`iif(${reader} <= ${next.row}, NULL, ${value})`
  const moved = sql`UPDATE ${webhooks} SET deliveries = ${webhooks.deliveries} + ${bodies.length},
    next_row = ${unlessDone(next.row)}, next_offset = ${unlessDone(next.offset)}, next_at = ${unlessDone(nextAt)}
    WHERE ${isHere}`
  if (bodies.length === 0) return [moved]
  const isGap = sql`b.value->>'state' = 'gap'`
  return [
    insertFrom(
      webhookDeliveries,
      {
        ...{ webhookId, number: sql`${webhooks.deliveries} + 1 + b.key`, createdAt: now },
        ...{ state: sql`b.value->>'state'`, body: sql`b.value->>'body'` },
        attemptsLeft: sql`iif(${isGap}, 0, ${attemptsMax})`,
        dueAt: sql`iif(${isGap}, ${now + keptSecs}, ${now})`,
      },
      sql`FROM ${webhooks}, json_each(${JSON.stringify(bodies)}) AS b WHERE ${isHere}`,
    ).returning({ webhookId: webhookDeliveries.webhookId, number, state }),
    moved,
    trimStatement(webhookId),
  ]
}
