import { and, eq, getTableColumns, isNotNull, lte, type SQLWrapper, sql } from 'drizzle-orm'
import type { Position } from '../../durable-objects/events/types.ts'
import {
  attemptsKept,
  attemptsMax,
  failingSecsMax,
  keptMax,
  keptSecs,
  outageSecs,
  pauseBefore,
} from '../../durable-objects/webhooks/rules.ts'
import { batch, isChanged, Store } from './database.ts'
import { type Attempt, webhookDeliveries, webhookReader, webhooks } from './schema/webhooks.ts'
import { insertFrom, jsonParts } from './statements.ts'
import { type Delivery, isDelivery, type Webhook } from './webhooks.ts'

/** What the reader compares events with. */
export type Interest = Pick<Webhook, 'webhookId' | 'owner' | 'types' | 'projectIds' | 'fromRow'>

/** Names the next attempt of a delivery. */
export type Due = Pick<Delivery, 'webhookId' | 'number' | 'attemptsMade'>

/** A webhook with events that are not deliveries yet. */
export interface Waiting extends Interest {
  failingSince: number | null
  from: Position
  /** Deliveries that are not over, and those of them that are due. */
  pending: number
  underWay: number
}

/** Events that become deliveries of a webhook. */
export interface Portion {
  webhook: Waiting
  /** What is sent; of a gap, what is shown. */
  bodies: readonly { state: 'pending' | 'gap'; body: string }[]
  next: Position
  nextAt: number
}

/** What a delivery is made of. */
export interface Prepared extends Delivery {
  url: string
  secrets: Webhook['secrets']
  failingSince: number | null
}

interface RawWaiting {
  webhook_id: string
  owner: string
  types: string
  project_ids: string | null
  from_row: number
  failing_since: number | null
  next_row: number
  next_offset: number
  pending: number
  under_way: number
}

/** How many webhooks are looked after at once, and messages that are sent again. */
export const waitingMax = 20
const resentMax = 100
/** A message that has not come so long after its attempt was due is sent again. */
export const lostSecs = 300

/** Written out, as in the conditions of the indexes. */
const isPending = sql`${webhookDeliveries.state} = 'pending'`
const isActive = sql`${webhooks.state} = 'active'`

/** From the log of events to deliveries, and what came of these. */
export class WebhookDeliveryStore extends Store {
  /** Whether anything is to be read or sent. */
  async isNeeded(): Promise<boolean> {
    const [row] = await this.db.all<{ needed: number }>(sql`SELECT
      EXISTS (SELECT 1 FROM ${webhooks} WHERE ${isActive})
      OR EXISTS (SELECT 1 FROM ${webhookDeliveries} WHERE ${isPending}) AS needed`)
    return row?.needed === 1
  }

  /** Where the reader is, whether a webhook waits, and which messages seem lost: these count as sent again. */
  async look(now: number): Promise<{ row: number; version: number; waits: boolean; lost: Due[] }> {
    const { webhookId, number, attemptsMade, dueAt } = webhookDeliveries
    const lost = sql`SELECT ${webhookId}, ${number} FROM ${webhookDeliveries}
      WHERE ${isPending} AND ${dueAt} <= ${now - lostSecs} ORDER BY ${dueAt} LIMIT ${resentMax}`
    const [state, resent] = await batch(this.db, [
      sql`SELECT ${webhookReader.row} AS row, ${webhookReader.version} AS version,
        EXISTS (SELECT 1 FROM ${webhooks} WHERE ${isNotNull(webhooks.nextRow)} AND ${lte(webhooks.nextAt, now)}) AS waits
        FROM ${webhookReader}`,
      sql`UPDATE ${webhookDeliveries} SET due_at = ${now} WHERE (${webhookId}, ${number}) IN (${lost})
        RETURNING ${webhookId} AS webhookId, ${number} AS number, ${attemptsMade} AS attemptsMade`,
    ])
    const [reader] = (state?.results ?? []) as { row: number; version: number; waits: number }[]
    if (reader === undefined) throw new Error('the table webhook_reader has no row')
    return { ...reader, waits: reader.waits === 1, lost: (resent?.results ?? []) as Due[] }
  }

  /** Of the active webhooks. */
  async interests(): Promise<Interest[]> {
    const { webhookId, owner, types, projectIds, fromRow } = webhooks
    return this.db.select({ webhookId, owner, types, projectIds, fromRow }).from(webhooks).where(isActive)
  }

  /** Moves the reader on, with the first events of the webhooks that nothing waits for yet; `null` notes all of them. */
  async note(
    from: number,
    to: number,
    found: ReadonlyMap<string, Position> | null,
    now: number,
  ): Promise<void> {
    const isHere = sql`EXISTS (SELECT 1 FROM ${webhookReader} WHERE ${webhookReader.row} = ${from})`
    const isFree = sql`${isActive} AND ${webhooks.nextRow} IS NULL AND ${isHere}`
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
    await batch(this.db, [
      ...noted,
      this.db.update(webhookReader).set({ row: to }).where(eq(webhookReader.row, from)),
    ])
  }

  /** Webhooks whose turn it is. */
  async waiting(now: number): Promise<Waiting[]> {
    const { webhookId, nextRow, nextAt } = webhooks
    const open = sql`SELECT count(*) FROM ${webhookDeliveries}
      WHERE ${webhookDeliveries.webhookId} = ${webhookId} AND ${isPending}`
    const rows = await this.db.all<RawWaiting>(sql`SELECT ${webhooks}.*, (${open}) AS pending,
      (${open} AND ${webhookDeliveries.dueAt} <= ${now}) AS under_way
      FROM ${webhooks} WHERE ${isNotNull(nextRow)} AND ${lte(nextAt, now)} ORDER BY ${nextAt} LIMIT ${waitingMax}`)
    return rows.map((row) => ({
      ...{ webhookId: row.webhook_id, owner: row.owner, fromRow: row.from_row },
      types: JSON.parse(row.types),
      projectIds: row.project_ids === null ? null : JSON.parse(row.project_ids),
      ...{ failingSince: row.failing_since, pending: row.pending, underWay: row.under_way },
      from: { row: row.next_row, offset: row.next_offset },
    }))
  }

  /**
   * Makes deliveries and moves their webhooks on, each unless another reader did. One that has reached the reader waits no more.
   * @returns What is to be sent.
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

  /** What these messages are about. */
  async prepare(due: readonly Pick<Due, 'webhookId' | 'number'>[]): Promise<Prepared[]> {
    const { url, secrets, failingSince } = webhooks
    return this.db
      .select({ ...getTableColumns(webhookDeliveries), url, secrets, failingSince })
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
        .set({ failingSince: null, nextAt: sql`iif(${webhooks.nextRow} IS NULL, NULL, ${now})` })
        .where(and(eq(webhooks.webhookId, webhookId), isNotNull(webhooks.failingSince))),
    ])
  }

  /** Notes an attempt that failed. @returns Seconds to the next one; null where it was the last. */
  async fail(delivery: Prepared, attempt: Attempt, now: number): Promise<number | null> {
    const { webhookId, failingSince } = delivery
    const attemptsLeft = delivery.attemptsLeft - 1
    const pause = attemptsLeft > 0 ? pauseBefore(attemptsLeft) : null
    const outcome = {
      ...{ state: pause === null ? ('failed' as const) : ('pending' as const), attemptsLeft },
      dueAt: now + (pause ?? keptSecs),
    }
    const statements: SQLWrapper[] = [noteStatement(delivery, attempt, outcome)]
    const ofWebhook = sql`${webhooks.webhookId} = ${webhookId} AND ${isActive}`
    if (failingSince === null)
      statements.push(
        this.db
          .update(webhooks)
          .set({ failingSince: now })
          .where(sql`${ofWebhook} AND ${webhooks.failingSince} IS NULL`),
      )
    else if (failingSince <= now - failingSecsMax)
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
  // What was given up while it was under way is not tried again, and may have succeeded.
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
    sql`DELETE FROM ${webhookDeliveries} WHERE ${webhookDeliveries.webhookId} = ${webhookId}
      AND ${number} <= (SELECT ${webhooks.deliveries} - ${keptMax} FROM ${webhooks} WHERE ${webhooks.webhookId} = ${webhookId})
      AND ${state} <> 'pending'`,
  ]
}
