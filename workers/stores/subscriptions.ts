import { and, desc, eq, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { ChainState } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { isClosed, isState, newestTime, openSubscriptions, pendingSlashes } from './chain-facts.ts'
import { batch, Store } from './database.ts'
import { minersOf } from './registry-effects.ts'
import { chainStates, projectMiners, subscriptions } from './schema/index.ts'
import { flat, insertFrom, isOneOf, listed, replaced } from './statements.ts'

type Row = InferSelectModel<typeof subscriptions>

export interface Subscription extends Row {
  chain: ChainState | null
  /** Slashes that may still take collateral. */
  pendingSlashes: number
  /** Unix seconds of the newest indexed block; 0 before the first. */
  chainTime: number
  /** What its payout address has in the settled epochs of the project, with all of its devices; null for nothing. */
  earned: string | null
  earnedUnits: number | null
}

export type NewSubscription = Pick<
  Row,
  'subscriptionId' | 'projectId' | 'owner' | 'nodeId' | 'nodeKey' | 'reputation'
>

/** What a wallet may have that is not closed: its collateral is summed over all of them. */
export const openSubscriptionsMax = 1000

const countOpen = (owner: string): SQL => sql`(SELECT count(*) FROM ${openSubscriptions(owner)})`

export const columns = {
  row: subscriptions,
  chain: chainStates.state,
  pendingSlashes,
  chainTime: newestTime,
  // Named apart: both tables have such a column.
  ...{
    earned: projectMiners.earned,
    earnedUnits: sql<number | null>`${projectMiners.units}`.as('earned_units'),
  },
}

export const isPaidThere = sql`${projectMiners.projectId} = ${subscriptions.projectId}
  AND ${projectMiners.miner} = coalesce(${chainStates.state}->>'payout', ${subscriptions.owner})`

export const newestFirst = [desc(subscriptions.createdAt), desc(subscriptions.subscriptionId)]

/** What the hub keeps of subscriptions, read together with what the chain says of them. */
export class SubscriptionStore extends Store {
  async find(subscriptionId: string): Promise<Subscription | null> {
    const rows = await this.#select().where(eq(subscriptions.subscriptionId, subscriptionId))
    return rows[0] ? flat(rows[0]) : null
  }

  /** Those of these ids that exist. */
  async findAll(subscriptionIds: readonly string[]): Promise<Map<string, Subscription>> {
    if (subscriptionIds.length === 0) return new Map()
    const rows = await this.#select().where(isOneOf(subscriptions.subscriptionId, subscriptionIds))
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

  /** Sets or ends a pause, if it still is what the caller saw; of racing calls one does it. */
  async setPause(
    { subscriptionId, pausedAt: seen }: Pick<Row, 'subscriptionId' | 'pausedAt'>,
    pausedAt: number | null,
  ): Promise<'set' | 'stale'> {
    const result = await this.db
      .update(subscriptions)
      .set({ pausedAt })
      .where(and(eq(subscriptions.subscriptionId, subscriptionId), sql`${subscriptions.pausedAt} IS ${seen}`))
    return result.meta.changes === 1 ? 'set' : 'stale'
  }

  async list(
    owner: Wallet,
    after: Pick<Row, 'createdAt' | 'subscriptionId'> | undefined,
    limit: number,
  ): Promise<Subscription[]> {
    const rows = await this.#select()
      .where(
        and(
          eq(subscriptions.owner, owner),
          after &&
            sql`(${subscriptions.createdAt}, ${subscriptions.subscriptionId}) <
                (${after.createdAt}, ${after.subscriptionId})`,
        ),
      )
      .orderBy(() => newestFirst)
      .limit(limit)
    return rows.map(flat)
  }

  /** The newest that are not closed. */
  async listOpen(owner: Wallet, limit: number): Promise<Subscription[]> {
    const rows = await this.#select()
      .where(and(eq(subscriptions.owner, owner), sql`NOT ${isClosed}`))
      .orderBy(() => newestFirst)
      .limit(limit)
    return rows.map(flat)
  }

  #select() {
    return this.db
      .select(columns)
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(projectMiners, isPaidThere)
      .$dynamic()
  }
}
