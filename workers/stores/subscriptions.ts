import { and, desc, eq, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { ChainState } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { isClosed, isState, newestTime, openSubscriptions, pendingSlashes } from './chain-facts.ts'
import { batch, isChanged, Store } from './database.ts'
import { minersOf } from './registry-effects.ts'
import {
  chainStates,
  projectMiners,
  projects,
  projectVersions,
  subscriptions,
  type Token,
} from './schema/index.ts'
import { flat, insertFrom, replaced } from './statements.ts'

type Row = InferSelectModel<typeof subscriptions>

export interface Subscription extends Row {
  chain: ChainState | null
  /** Slashes that may still take collateral. */
  pendingSlashes: number
  /** Unix seconds of the newest indexed block; 0 before the first. */
  chainTime: number
}

/** A subscription with the fields that the list of a device's work shows. */
export interface DeviceSubscription extends Subscription {
  slug: string
  token: Token
  /** Of the version in force. */
  epochSecs: number
  /** What its payout address earned in the project. */
  earned: string
}

export type NewSubscription = Pick<
  Row,
  'subscriptionId' | 'projectId' | 'owner' | 'nodeId' | 'nodeKey' | 'reputation'
>

/** What a wallet may have that is not closed: its collateral is summed over all of them. */
export const openSubscriptionsMax = 1000

const countOpen = (owner: string): SQL => sql`(SELECT count(*) FROM ${openSubscriptions(owner)})`

const columns = { row: subscriptions, chain: chainStates.state, pendingSlashes, chainTime: newestTime }

const newestFirst = [desc(subscriptions.createdAt), desc(subscriptions.subscriptionId)]

/** What the hub keeps of subscriptions, read together with what the chain says of them. */
export class SubscriptionStore extends Store {
  async find(subscriptionId: string): Promise<Subscription | null> {
    const rows = await this.#select().where(eq(subscriptions.subscriptionId, subscriptionId))
    return rows[0] ? flat(rows[0]) : null
  }

  /**
   * Begins a subscription, or begins a closed one again, unless its owner has {@link openSubscriptionsMax}. An open one stays as it is; of
   * racing calls the row takes one. It may be bonded already, by a transaction of the owner's own: then the project has a miner more.
   */
  async create(fresh: NewSubscription, now: number): Promise<'created' | 'exists' | 'full'> {
    const { subscriptionId, projectId, owner } = fresh
    const state = (
      member: string,
    ) => sql`(SELECT json_extract(${chainStates.state}, ${member}) FROM ${chainStates}
      WHERE ${isState('subscription', subscriptionId)})`
    const counters = { creditedRounds: 0, missedLeases: 0, disagreements: 0 }
    const results = await batch(this.db, [
      insertFrom(
        subscriptions,
        { ...fresh, ...counters, closings: sql`coalesce(${state('$.closings')}, 0)`, createdAt: now },
        sql`WHERE ${countOpen(owner)} < ${openSubscriptionsMax}`,
      ).onConflictDoUpdate({
        target: subscriptions.subscriptionId,
        set: {
          ...replaced(subscriptions, ['closings', 'reputation', 'createdAt']),
          ...{ ...counters, pausedAt: null, lastProofAt: null },
        },
        setWhere: sql`excluded.closings > ${subscriptions.closings} AND ${state('$.status')} = 'closed'`,
      }),
      minersOf(sql`${projectId}`, sql`${state('$.status')} = 'bonded'`),
      sql`SELECT ${countOpen(owner)} AS open`,
    ])
    if (isChanged(results[0])) return 'created'
    const [counted] = (results[2]?.results ?? []) as { open: number }[]
    return (counted?.open ?? 0) < openSubscriptionsMax ? 'exists' : 'full'
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
    return isChanged(result) ? 'set' : 'stale'
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

  /** The newest open subscriptions of a device, of any owner, with the fields that the list of its work shows. */
  async listOfDevice(nodeId: string, limit: number): Promise<DeviceSubscription[]> {
    const rows = await this.db
      .select({
        ...columns,
        slug: projects.slug,
        token: projects.token,
        epochSecs: sql<number>`(
          SELECT json_extract(${projectVersions.manifest}, '$.consensus.work.epoch_secs') FROM ${projectVersions}
          WHERE ${projectVersions.projectId} = ${projects.projectId} AND ${projectVersions.version} = ${projects.version})`,
        earned: sql<string>`coalesce((SELECT ${projectMiners.earned} FROM ${projectMiners}
          WHERE ${projectMiners.projectId} = ${subscriptions.projectId} AND ${projectMiners.miner}
            = coalesce(json_extract(${chainStates.state}, '$.payout'), ${subscriptions.owner})), '0')`,
      })
      .from(subscriptions)
      .innerJoin(projects, eq(projects.projectId, subscriptions.projectId))
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .where(and(eq(subscriptions.nodeId, nodeId), sql`NOT ${isClosed}`))
      .orderBy(() => newestFirst)
      .limit(limit)
    return rows.map(flat)
  }

  #select() {
    return this.db
      .select(columns)
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .$dynamic()
  }
}
