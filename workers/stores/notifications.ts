import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { notificationCounts, notifications } from './schema/index.ts'
import { isOneOf } from './statements.ts'

export interface Notification {
  id: number
  isRead: boolean
  /** JSON of the event. */
  body: string
}

/** Notifications of wallets, which triggers write beside the log of events. */
export class NotificationStore extends Store {
  async list(
    owner: Wallet,
    after: Pick<Notification, 'id'> | undefined,
    limit: number,
    isUnread: boolean,
  ): Promise<Notification[]> {
    const { id, isRead, body } = notifications
    const { readTo } = notificationCounts
    return this.db
      .select({ id, body, isRead: sql`(${isRead} OR ${id} <= ${readTo})`.mapWith(Boolean) })
      .from(notifications)
      .innerJoin(notificationCounts, eq(notificationCounts.owner, notifications.owner))
      .where(
        and(
          eq(notifications.owner, owner as SQL),
          after && lt(id, after.id),
          // As the index of such notifications has it, word for word.
          isUnread ? sql`${isRead} = 0 AND ${id} > ${readTo}` : undefined,
        ),
      )
      .orderBy(desc(id))
      .limit(limit)
  }

  async unread(owner: Wallet): Promise<number> {
    const [row] = await this.db
      .select({ unread: notificationCounts.unread })
      .from(notificationCounts)
      .where(eq(notificationCounts.owner, owner as SQL))
    return row?.unread ?? 0
  }

  /** Counted by triggers. */
  async markRead(owner: string, ids: readonly number[]): Promise<void> {
    const { id, isRead } = notifications
    await this.db
      .update(notifications)
      .set({ isRead: true })
      .where(and(eq(notifications.owner, owner), isOneOf(id, ids), eq(isRead, false)))
  }

  async markAllRead(owner: string): Promise<void> {
    const { id } = notifications
    const newest = sql`(SELECT max(${id}) FROM ${notifications} WHERE ${eq(notifications.owner, owner)})`
    await this.db
      .update(notificationCounts)
      .set({ unread: 0, readTo: sql`coalesce(${newest}, 0)` })
      .where(eq(notificationCounts.owner, owner))
  }

  /** Deletes some of those that are too old, unread ones too. */
  async purge(before: number): Promise<void> {
    const { id, at } = notifications
    await this.db.delete(notifications).where(
      sql`${id} IN (SELECT o.id FROM (SELECT ${id} AS id, ${at} AS at FROM ${notifications}
        ORDER BY ${id} LIMIT ${purgedMax}) AS o WHERE o.at < ${before})`,
    )
  }
}

const purgedMax = 2_000
