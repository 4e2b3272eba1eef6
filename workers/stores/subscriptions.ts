import { and, desc, eq, type InferSelectModel, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { ChainState } from '../chain/projections.ts'
import { type Database, query, read } from './database.ts'
import { chainStates, devices, projects, subscriptions } from './schema.ts'

type Row = InferSelectModel<typeof subscriptions>

/** A subscription with everything its state follows from. */
export interface Subscription extends Row {
  chain: ChainState | null
  minCollateral: string
  /** Slashes that may still take collateral. */
  pendingSlashes: number
  /** Whether its device is bound to its owner. */
  deviceBound: boolean
  /** Unix seconds of the newest indexed block; 0 before the first. */
  chainTime: number
}

export type NewSubscription = Pick<
  Row,
  'subscriptionId' | 'projectId' | 'owner' | 'nodeId' | 'nodeKey' | 'reputation'
>

export interface SubscriptionPosition {
  createdAt: number
  subscriptionId: string
}

const chain = alias(chainStates, 'chain')
const device = alias(devices, 'device')

/** Whether the chain closed the subscription after its record began. */
const isClosed = sql`coalesce(json_extract(${chain.state}, '$.status') = 'closed'
  AND json_extract(${chain.state}, '$.closings') > ${subscriptions.closings}, false)`

const columns = {
  row: subscriptions,
  chain: chain.state,
  minCollateral: projects.minCollateral,
  // The plus takes the column's affinity away, which the indexed expression does not have: with it, every slash is read.
  pendingSlashes: sql<number>`(SELECT count(*)
    FROM chain_states AS slash WHERE slash.kind = 'slash'
    AND json_extract(slash.state, '$.subscription_id') = +${subscriptions.subscriptionId}
    AND json_extract(slash.state, '$.status') IN ('proposed', 'disputed'))`,
  deviceBound: sql<number>`coalesce(${device.unboundAt} IS NULL AND ${device.owner} = ${subscriptions.owner}, false)`,
  chainTime: sql<number>`coalesce((SELECT timestamp FROM chain_blocks ORDER BY number DESC LIMIT 1), 0)`,
}

/** What the hub keeps of subscriptions, read together with what the chain says of them. */
export class SubscriptionStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async find(subscriptionId: string): Promise<Subscription | null> {
    const rows = await read(() => this.#select().where(eq(subscriptions.subscriptionId, subscriptionId)))
    return rows[0] ? joined(rows[0]) : null
  }

  /**
   * Begins a subscription, or begins a closed one anew. An open one stays as it is; of racing calls the row takes one.
   */
  async create(fresh: NewSubscription, now: number): Promise<'created' | 'exists'> {
    const { subscriptionId, projectId, owner, nodeId, nodeKey, reputation } = fresh
    const state = (member: string) =>
      sql`(SELECT json_extract(state, ${member}) FROM ${chainStates}
        WHERE kind = 'subscription' AND subject = ${subscriptionId})`
    const result = await query(
      this.#db.run(sql`
        INSERT INTO ${subscriptions} (subscription_id, project_id, owner, node_id, node_key, closings, paused_at,
          reputation, credited_rounds, missed_leases, disagreements, last_proof_at, created_at)
        SELECT ${subscriptionId}, ${projectId}, ${owner}, ${nodeId}, ${nodeKey}, coalesce(${state('$.closings')}, 0),
          NULL, ${reputation}, 0, 0, 0, NULL, ${now}
        WHERE true
        ON CONFLICT (subscription_id) DO UPDATE SET closings = excluded.closings, paused_at = NULL,
          reputation = excluded.reputation, credited_rounds = 0, missed_leases = 0, disagreements = 0,
          last_proof_at = NULL, created_at = excluded.created_at
        WHERE excluded.closings > ${subscriptions.closings} AND ${state('$.status')} = 'closed'`),
    )
    return result.meta.changes === 1 ? 'created' : 'exists'
  }

  /** Sets or ends a pause, if it still is what the caller saw; of racing calls one does it. */
  async setPause(
    { subscriptionId, pausedAt: seen }: Pick<Row, 'subscriptionId' | 'pausedAt'>,
    pausedAt: number | null,
  ): Promise<'set' | 'stale'> {
    const result = await query(
      this.#db
        .update(subscriptions)
        .set({ pausedAt })
        .where(and(eq(subscriptions.subscriptionId, subscriptionId), sql`paused_at IS ${seen}`)),
    )
    return result.meta.changes === 1 ? 'set' : 'stale'
  }

  /** Newest first; `limit` rows after `after`. */
  async list(owner: string, after: SubscriptionPosition | undefined, limit: number): Promise<Subscription[]> {
    const rows = await read(() =>
      this.#select()
        .where(
          and(
            eq(subscriptions.owner, owner),
            after &&
              sql`(${subscriptions.createdAt}, ${subscriptions.subscriptionId}) <
                (${after.createdAt}, ${after.subscriptionId})`,
          ),
        )
        .orderBy(desc(subscriptions.createdAt), desc(subscriptions.subscriptionId))
        .limit(limit),
    )
    return rows.map(joined)
  }

  /** All that are not closed, newest first. */
  async listOpen(owner: string): Promise<Subscription[]> {
    const rows = await read(() =>
      this.#select()
        .where(and(eq(subscriptions.owner, owner), sql`NOT ${isClosed}`))
        .orderBy(desc(subscriptions.createdAt), desc(subscriptions.subscriptionId)),
    )
    return rows.map(joined)
  }

  #select() {
    return this.#db
      .select(columns)
      .from(subscriptions)
      .leftJoin(chain, and(eq(chain.kind, 'subscription'), eq(chain.subject, subscriptions.subscriptionId)))
      .leftJoin(projects, eq(projects.projectId, subscriptions.projectId))
      .leftJoin(device, eq(device.nodeId, subscriptions.nodeId))
      .$dynamic()
  }
}

interface JoinedRow {
  row: Row
  chain: ChainState | null
  minCollateral: string | null
  pendingSlashes: number
  deviceBound: number
  chainTime: number
}

const joined = ({ row, minCollateral, deviceBound, ...rest }: JoinedRow): Subscription => ({
  ...row,
  ...rest,
  minCollateral: minCollateral ?? '0',
  deviceBound: deviceBound === 1,
})
