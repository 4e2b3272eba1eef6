import { type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { isState, openSubscriptions } from './chain-facts.ts'
import { batch } from './database.ts'
import { minersOf } from './registry-effects.ts'
import { chainStates, subscriptions } from './schema/index.ts'
import { flat, insertFrom, isOneOf, listed, replaced } from './statements.ts'
import { openSubscriptionsMax, type Subscription, SubscriptionStore } from './subscriptions.ts'

type Row = InferSelectModel<typeof subscriptions>

export type NewSubscription = Pick<
  Row,
  'subscriptionId' | 'projectId' | 'owner' | 'nodeId' | 'nodeKey' | 'reputation'
>

const countOpen = (owner: string): SQL => sql`(SELECT count(*) FROM ${openSubscriptions(owner)})`

/** Begins subscriptions. */
export class NewSubscriptionStore extends SubscriptionStore {
  /** The subscriptions with these ids, as far as they exist. */
  async findAll(subscriptionIds: readonly string[]): Promise<Map<string, Subscription>> {
    if (subscriptionIds.length === 0) return new Map()
    const rows = await this.select().where(isOneOf(subscriptions.subscriptionId, subscriptionIds))
    return new Map(rows.map((row) => [row.row.subscriptionId, flat(row)]))
  }

  /**
   * Begins subscriptions of one wallet, or begins closed ones again, up to {@link openSubscriptionsMax}. Open ones stay as they are; of
   * racing calls each row takes one. One may be bonded already, by a transaction of the owner's own: then its project has a miner more.
   * @returns The ids of those that began, and whether there was room for no more.
   */
  async create(
    fresh: readonly NewSubscription[],
    now: number,
  ): Promise<{ created: Set<string>; isFull: boolean }> {
    const [first] = fresh
    if (first === undefined) return { created: new Set(), isFull: false }
    const { owner } = first
    const state = (id: SQL) =>
      sql`SELECT ${chainStates.state} FROM ${chainStates} WHERE ${isState('subscription', id)}`
    const counters = { creditedRounds: 0, missedLeases: 0, disagreements: 0, units: 0, days: {} }
    const listOf = (member: 'projectId' | 'subscriptionId') => JSON.stringify(fresh.map((one) => one[member]))
    const isBonded = sql`EXISTS (SELECT 1 FROM ${chainStates} WHERE ${isState('subscription', sql`one.value`)}
      AND ${chainStates.state}->>'status' = 'bonded')`
    const results = await batch(this.db, [
      insertFrom(
        subscriptions,
        {
          ...listed(subscriptions, [
            'subscriptionId',
            'projectId',
            'owner',
            'nodeId',
            'nodeKey',
            'reputation',
          ]),
          ...counters,
          closings: sql`coalesce((${state(sql`value->>'subscriptionId'`)})->>'closings', 0)`,
          createdAt: now,
        },
        sql`FROM json_each(${JSON.stringify(fresh)}) WHERE ${countOpen(owner)} + key < ${openSubscriptionsMax}`,
      )
        .onConflictDoUpdate({
          target: subscriptions.subscriptionId,
          set: {
            ...replaced(subscriptions, ['closings', 'reputation', 'createdAt']),
            ...{ ...counters, pausedAt: null, lastProofAt: null },
          },
          setWhere: sql`excluded.closings > ${subscriptions.closings}
            AND (${state(sql`excluded.subscription_id`)})->>'status' = 'closed'`,
        })
        .returning({ id: subscriptions.subscriptionId }),
      minersOf(
        sql`SELECT value FROM json_each(${listOf('projectId')})`,
        sql`EXISTS (SELECT 1 FROM json_each(${listOf('subscriptionId')}) AS one WHERE ${isBonded})`,
      ),
      sql`SELECT ${countOpen(owner)} AS open`,
    ])
    const created = (results[0]?.results ?? []) as Record<string, string>[]
    const [counted] = (results[2]?.results ?? []) as { open: number }[]
    return {
      created: new Set(created.map((row) => Object.values(row)[0] as string)),
      isFull: (counted?.open ?? 0) >= openSubscriptionsMax,
    }
  }
}
