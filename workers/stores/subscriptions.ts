import { and, desc, eq, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { ChainState } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { batch, isChanged, Store } from './database.ts'
import { openSubscriptions } from './open-subscriptions.ts'
import { pendingSlashesOf } from './pending-slashes.ts'
import { minersOf } from './registry-effects.ts'
import {
  chainStates,
  projectMiners,
  projects,
  projectVersions,
  subscriptions,
  type Token,
} from './schema/index.ts'

type Row = InferSelectModel<typeof subscriptions>

/** A subscription with everything its state follows from. */
export interface Subscription extends Row {
  chain: ChainState | null
  /** Slashes that may still take collateral. */
  pendingSlashes: number
  /** Unix seconds of the newest indexed block; 0 before the first. */
  chainTime: number
}

/** A subscription with the fields that its device's operator sees. */
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

export interface SubscriptionPosition {
  createdAt: number
  subscriptionId: string
}

/** What a wallet may have that is not closed: its collateral is summed over all of them. */
export const openSubscriptionsMax = 1000

const countOpen = (owner: string): SQL => sql`(SELECT count(*) FROM ${openSubscriptions(owner)})`

const chain = alias(chainStates, 'chain')

/** Whether the chain closed the subscription after its record began. */
const isClosed = sql`coalesce(json_extract(${chain.state}, '$.status') = 'closed'
  AND json_extract(${chain.state}, '$.closings') > ${subscriptions.closings}, false)`

const columns = {
  row: subscriptions,
  chain: chain.state,
  pendingSlashes: pendingSlashesOf(subscriptions.subscriptionId),
  chainTime: sql<number>`coalesce((SELECT timestamp FROM chain_blocks ORDER BY number DESC LIMIT 1), 0)`,
}

/** What the hub keeps of subscriptions, read together with what the chain says of them. */
export class SubscriptionStore extends Store {
  async find(subscriptionId: string): Promise<Subscription | null> {
    const rows = await this.#select().where(eq(subscriptions.subscriptionId, subscriptionId))
    return rows[0] ? joined(rows[0]) : null
  }

  /**
   * Begins a subscription, or begins a closed one again, unless its owner has {@link openSubscriptionsMax}. An open one stays
   * as it is; of racing calls the row takes one. It may be bonded already, by a transaction of the owner's own: then the
   * project has a miner more.
   */
  async create(fresh: NewSubscription, now: number): Promise<'created' | 'exists' | 'full'> {
    const { subscriptionId, projectId, owner, nodeId, nodeKey, reputation } = fresh
    const state = (member: string) =>
      sql`(SELECT json_extract(state, ${member}) FROM ${chainStates}
        WHERE kind = 'subscription' AND subject = ${subscriptionId})`
    const results = await batch(this.db, [
      sql`
        INSERT INTO ${subscriptions} (subscription_id, project_id, owner, node_id, node_key, closings, paused_at,
          reputation, credited_rounds, missed_leases, disagreements, last_proof_at, created_at)
        SELECT ${subscriptionId}, ${projectId}, ${owner}, ${nodeId}, ${nodeKey}, coalesce(${state('$.closings')}, 0),
          NULL, ${reputation}, 0, 0, 0, NULL, ${now}
        WHERE ${countOpen(owner)} < ${openSubscriptionsMax}
        ON CONFLICT (subscription_id) DO UPDATE SET closings = excluded.closings, paused_at = NULL,
          reputation = excluded.reputation, credited_rounds = 0, missed_leases = 0, disagreements = 0,
          last_proof_at = NULL, created_at = excluded.created_at
        WHERE excluded.closings > ${subscriptions.closings} AND ${state('$.status')} = 'closed'`,
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
      .where(and(eq(subscriptions.subscriptionId, subscriptionId), sql`paused_at IS ${seen}`))
    return result.meta.changes === 1 ? 'set' : 'stale'
  }

  /** Newest first; `limit` rows after `after`. */
  async list(owner: Wallet, after: SubscriptionPosition | undefined, limit: number): Promise<Subscription[]> {
    const rows = await this.#select()
      .where(
        and(
          eq(subscriptions.owner, owner),
          after &&
            sql`(${subscriptions.createdAt}, ${subscriptions.subscriptionId}) <
                (${after.createdAt}, ${after.subscriptionId})`,
        ),
      )
      .orderBy(desc(subscriptions.createdAt), desc(subscriptions.subscriptionId))
      .limit(limit)
    return rows.map(joined)
  }

  /** The newest that are not closed. */
  async listOpen(owner: Wallet, limit: number): Promise<Subscription[]> {
    const rows = await this.#select()
      .where(and(eq(subscriptions.owner, owner), sql`NOT ${isClosed}`))
      .orderBy(desc(subscriptions.createdAt), desc(subscriptions.subscriptionId))
      .limit(limit)
    return rows.map(joined)
  }

  /** The newest open subscriptions of a device, of any owner, with the fields that a person sees. */
  async listOfDevice(nodeId: string, limit: number): Promise<DeviceSubscription[]> {
    const rows = await this.db
      .select({
        ...columns,
        slug: projects.slug,
        token: projects.token,
        epochSecs: sql<number>`(SELECT json_extract(v.manifest, '$.consensus.work.epoch_secs')
            FROM ${projectVersions} AS v
            WHERE v.project_id = ${projects.projectId} AND v.version = ${projects.version})`,
        earned: sql<string>`coalesce((SELECT m.earned FROM ${projectMiners} AS m
            WHERE m.project_id = ${subscriptions.projectId}
              AND m.miner = coalesce(json_extract(${chain.state}, '$.payout'), ${subscriptions.owner})), '0')`,
      })
      .from(subscriptions)
      .innerJoin(projects, eq(projects.projectId, subscriptions.projectId))
      .leftJoin(chain, and(eq(chain.kind, 'subscription'), eq(chain.subject, subscriptions.subscriptionId)))
      .where(and(eq(subscriptions.nodeId, nodeId), sql`NOT ${isClosed}`))
      .orderBy(desc(subscriptions.createdAt), desc(subscriptions.subscriptionId))
      .limit(limit)
    return rows.map(({ slug, token, epochSecs, earned, ...rest }) => ({
      ...joined(rest),
      slug,
      token,
      epochSecs,
      earned,
    }))
  }

  #select() {
    return this.db
      .select(columns)
      .from(subscriptions)
      .leftJoin(chain, and(eq(chain.kind, 'subscription'), eq(chain.subject, subscriptions.subscriptionId)))
      .$dynamic()
  }
}

interface JoinedRow {
  row: Row
  chain: ChainState | null
  pendingSlashes: number
  chainTime: number
}

const joined = ({ row, ...rest }: JoinedRow): Subscription => ({ ...row, ...rest })
