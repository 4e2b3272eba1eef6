import { and, desc, eq, type InferSelectModel, sql } from 'drizzle-orm'
import type { ChainState } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { isClosed, isState, newestTime, pendingSlashes } from './chain-facts.ts'
import { isChanged, Store } from './database.ts'
import { chainStates, devices, projectMiners, subscriptions } from './schema/index.ts'
import { flat } from './statements.ts'

type Row = InferSelectModel<typeof subscriptions>

export interface Subscription extends Row {
  chain: ChainState | null
  /** Slashes that may still take collateral. */
  pendingSlashes: number
  /** Unix seconds of the newest indexed block; 0 before the first. */
  chainTime: number
  /** The amount that its payout address has in settled epochs of the project, with all of its devices; null for nothing. */
  earned: string | null
  earnedUnits: number | null
}

/** The most subscriptions of a wallet that are not closed: its collateral is summed over all of them. */
export const openSubscriptionsMax = 1000

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

export interface SubscriptionFilter {
  projectId?: string | undefined
  nodeId?: string | undefined
}

/**
 * A project has few subscriptions of one device, which the index by project and key finds: a plus keeps the database from choosing another
 * one for what follows it.
 */
const plain = (isOne: boolean) => sql.raw(isOne ? '+' : '')

const isKeyOf = (nodeId: string) => sql`${subscriptions.nodeKey} = (
  SELECT ${devices.publicKey} FROM ${devices} WHERE ${devices.nodeId} = ${nodeId})`

/** The hub's records of subscriptions, read together with their state on the chain. */
export class SubscriptionStore extends Store {
  async find(subscriptionId: string): Promise<Subscription | null> {
    const rows = await this.select().where(eq(subscriptions.subscriptionId, subscriptionId))
    return rows[0] ? flat(rows[0]) : null
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

  /** Newest first; `limit` rows after `after`. */
  async list(
    owner: Wallet,
    { projectId, nodeId }: SubscriptionFilter,
    after: Pick<Row, 'createdAt' | 'subscriptionId'> | undefined,
    limit: number,
  ): Promise<Subscription[]> {
    const { createdAt, subscriptionId } = subscriptions
    const isOne = projectId !== undefined && nodeId !== undefined
    const rows = await this.select()
      .where(
        and(
          isOne ? isKeyOf(nodeId) : undefined,
          sql`${plain(isOne)}${subscriptions.owner} = ${owner}`,
          projectId === undefined ? undefined : eq(subscriptions.projectId, projectId),
          nodeId === undefined ? undefined : sql`${plain(isOne)}${subscriptions.nodeId} = ${nodeId}`,
          after && sql`(${createdAt}, ${subscriptionId}) < (${after.createdAt}, ${after.subscriptionId})`,
        ),
      )
      .orderBy(sql`${plain(isOne)}${createdAt} DESC`, desc(subscriptionId))
      .limit(limit)
    return rows.map(flat)
  }

  /** The newest that are not closed. */
  async listOpen(owner: Wallet, limit: number): Promise<Subscription[]> {
    const rows = await this.select()
      .where(and(eq(subscriptions.owner, owner), sql`NOT ${isClosed}`))
      .orderBy(() => newestFirst)
      .limit(limit)
    return rows.map(flat)
  }

  protected select() {
    return this.db
      .select(columns)
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(projectMiners, isPaidThere)
      .$dynamic()
  }
}
