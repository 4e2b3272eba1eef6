import { and, desc, eq, type InferSelectModel, lt, sql } from 'drizzle-orm'
import { activeMax, keptMax, webhooksMax } from '../../durable-objects/webhooks/rules.ts'
import { isEnrolled } from './accounts.ts'
import type { Wallet } from './caller.ts'
import { openSubscriptions } from './chain-facts.ts'
import { batch, isChanged, Store } from './database.ts'
import { chainStates, eventLog } from './schema/index.ts'
import { webhookDeliveries, webhookReader, webhooks } from './schema/webhooks.ts'
import { insertFrom } from './statements.ts'

export type Webhook = InferSelectModel<typeof webhooks>
export type Delivery = InferSelectModel<typeof webhookDeliveries>

type Content = Pick<Webhook, 'url' | 'types' | 'projectIds'>

/** Rows of the log from here on are new. The newest row is never deleted. */
const nextRowOfLog = sql<number>`(SELECT coalesce(max(${eventLog.id}), 0) + 1 FROM ${eventLog})`

/** Wallets cost nothing to make: those of no developer and without bonded collateral take half of the room at most. */
const hasRoom = (owner: string) => sql`(SELECT ${webhookReader.active} FROM ${webhookReader}) < iif(
  ${isEnrolled(owner)} OR EXISTS (SELECT 1 FROM ${openSubscriptions(owner)} AND ${chainStates.state}->>'status' = 'bonded'),
  ${activeMax}, ${activeMax / 2})`

/** Removes what is over and older than the newest that are kept. */
export const trimStatement = (webhookId: string) =>
  sql`DELETE FROM ${webhookDeliveries} WHERE ${webhookDeliveries.webhookId} = ${webhookId}
    AND ${webhookDeliveries.number} <= (SELECT ${webhooks.deliveries} - ${keptMax} FROM ${webhooks} WHERE ${webhooks.webhookId} = ${webhookId})
    AND ${webhookDeliveries.state} <> 'pending'`

/** Webhooks of wallets. Every method names the owner, so that nobody reaches another wallet's. */
export class WebhookStore extends Store {
  async find(owner: Wallet, webhookId: string): Promise<Webhook | null> {
    return (await this.db.select().from(webhooks).where(isOwn(owner, webhookId)).get()) ?? null
  }

  /** All of a wallet, the newest first. */
  async list(owner: Wallet): Promise<Webhook[]> {
    return this.db
      .select()
      .from(webhooks)
      .where(eq(webhooks.owner, owner))
      .orderBy(desc(webhooks.createdAt), desc(webhooks.webhookId))
  }

  /** Inserts it unless the wallet has {@link webhooksMax}, or the hub no room; one statement counts and inserts. It gets what is logged from now on. */
  async create(
    webhook: Content & Pick<Webhook, 'webhookId' | 'owner' | 'secrets' | 'createdAt'>,
  ): Promise<'created' | 'exists' | 'full'> {
    const kept = this.db.$count(webhooks, eq(webhooks.owner, webhook.owner))
    const row = { ...webhook, state: 'active' as const, fromRow: nextRowOfLog }
    const result = await this.db.run(
      insertFrom(
        webhooks,
        row,
        sql`WHERE ${kept} < ${webhooksMax} AND ${hasRoom(webhook.owner)}`,
      ).onConflictDoNothing(),
    )
    if (isChanged(result)) return 'created'
    return (await this.find(webhook.owner, webhook.webhookId)) === null ? 'full' : 'exists'
  }

  /**
   * Changes the given members. A webhook that becomes active again gets the events that are logged from now on.
   * @returns false if it is not there, or the hub has no room for it.
   */
  async update(
    owner: string,
    webhookId: string,
    { state, ...content }: Partial<Content & Pick<Webhook, 'state'>>,
  ): Promise<boolean> {
    const was = sql`(${webhooks.state} = 'disabled')`
    const states = {
      active: {
        ...{ state: 'active' as const, disabledBecause: null },
        failingSince: sql`iif(${was}, NULL, ${webhooks.failingSince})`,
        fromRow: sql`iif(${was}, ${nextRowOfLog}, ${webhooks.fromRow})`,
      },
      disabled: {
        state: 'disabled' as const,
        disabledBecause: sql`coalesce(${webhooks.disabledBecause}, 'owner')`,
      },
    }
    const set = { ...content, ...(state && states[state]) }
    const isAllowed =
      state === 'active' ? sql`(${webhooks.state} = 'active' OR ${hasRoom(owner)})` : undefined
    if (Object.keys(set).length === 0) return true
    const guard = and(isOwn(owner, webhookId), isAllowed)
    return isChanged(await this.db.update(webhooks).set(set).where(guard))
  }

  /** Replaces the secrets, unless another call did so since they were read. */
  async setSecrets(
    { owner, webhookId, secrets }: Pick<Webhook, 'owner' | 'webhookId' | 'secrets'>,
    next: Webhook['secrets'],
  ): Promise<boolean> {
    const result = await this.db
      .update(webhooks)
      .set({ secrets: next })
      .where(and(isOwn(owner, webhookId), eq(webhooks.secrets, secrets)))
    return isChanged(result)
  }

  /** With its deliveries, which a trigger deletes. */
  async delete(owner: string, webhookId: string): Promise<boolean> {
    return isChanged(await this.db.delete(webhooks).where(isOwn(owner, webhookId)))
  }

  /** The deliveries of the webhook, the newest first. */
  async deliveries(
    owner: Wallet,
    webhookId: string,
    after: Pick<Delivery, 'number'> | undefined,
    limit: number,
  ): Promise<Delivery[]> {
    const { number } = webhookDeliveries
    return this.db
      .select()
      .from(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.webhookId, webhookId),
          sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${isOwn(owner, webhookId)})`,
          after && lt(number, after.number),
        ),
      )
      .orderBy(desc(number))
      .limit(limit)
  }

  async findDelivery(owner: Wallet, webhookId: string, number: number): Promise<Delivery | null> {
    const [found] = await this.deliveries(owner, webhookId, { number: number + 1 }, 1)
    return found?.number === number ? found : null
  }

  /** Makes a delivery of an event of its own, which is tried once; null without the webhook. */
  async addTest(owner: string, webhookId: string, body: string, now: number): Promise<Delivery | null> {
    const [, inserted] = await batch(this.db, [
      this.db
        .update(webhooks)
        .set({ deliveries: sql`${webhooks.deliveries} + 1` })
        .where(isOwn(owner, webhookId)),
      insertFrom(
        webhookDeliveries,
        {
          ...{ webhookId, number: sql`${webhooks.deliveries}`, createdAt: now, state: 'pending', body },
          ...{ attemptsLeft: 0, dueAt: now },
        },
        sql`FROM ${webhooks} WHERE ${isOwn(owner, webhookId)}`,
      ).returning({ number: webhookDeliveries.number }),
      trimStatement(webhookId),
    ])
    const [row] = (inserted?.results ?? []) as { number: number }[]
    return row === undefined ? null : this.findDelivery(owner, webhookId, row.number)
  }

  /** Has a delivery tried now: one that is over once more, one that waits at once. */
  async retry({ webhookId, number }: Pick<Delivery, 'webhookId' | 'number'>, now: number): Promise<void> {
    const { state, attemptsLeft } = webhookDeliveries
    await this.db
      .update(webhookDeliveries)
      .set({
        state: 'pending',
        attemptsLeft: sql`iif(${state} = 'pending', ${attemptsLeft}, 0)`,
        dueAt: now,
      })
      .where(and(isDelivery(webhookId, number), sql`${state} <> 'gap'`))
  }
}

const isOwn = (owner: Wallet, webhookId: string) =>
  and(eq(webhooks.webhookId, webhookId), eq(webhooks.owner, owner))

export const isDelivery = (webhookId: string, number: number) =>
  and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.number, number))
