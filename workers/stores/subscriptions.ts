import { and, desc, eq, type InferSelectModel, isNull, type SQL, sql } from 'drizzle-orm'
import type { ChainState } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { isClosed, isState, newestTime, openSubscriptions, pendingSlashes } from './chain-facts.ts'
import { batch, Store } from './database.ts'
import { minersOf } from './registry-effects.ts'
import {
  chainStates,
  devices,
  projectMiners,
  projects,
  projectVersions,
  subscriptions,
  type Token,
} from './schema/index.ts'
import { flat, insertFrom, isOneOf, listed, replaced } from './statements.ts'

type Row = InferSelectModel<typeof subscriptions>
type DeviceRow = InferSelectModel<typeof devices>

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

/** A subscription with the fields that the list of a device's work shows. */
export interface DeviceSubscription extends Subscription {
  slug: string
  /** Of the version in force. */
  epochSecs: number
}

/** A subscription with its device, if that is still bound to its owner. */
export interface SubscribedDevice extends Row {
  chain: ChainState | null
  isClosed: boolean
  class: DeviceRow['class']
  device: Pick<DeviceRow, 'linkState' | 'bannedAt' | 'voteFaultAt' | 'benchmarkFaultAt'> | null
}

type Nullable<T> = { [Name in keyof T]: T[Name] | null }

/** A subscription with its device, if that is bound, and its project. */
export type WatchedSubscription = Subscription &
  Nullable<
    Pick<typeof devices.$inferSelect, 'linkState' | 'linkStateAt' | 'boundAt'> &
      Pick<typeof devices.$inferSelect, 'minerVersion' | 'profileUpdatedAt' | 'voteFaultAt'> &
      Pick<typeof projects.$inferSelect, 'listingStatus' | 'reviewedAt'>
  >

export type NewSubscription = Pick<
  Row,
  'subscriptionId' | 'projectId' | 'owner' | 'nodeId' | 'nodeKey' | 'reputation'
>

/** What a wallet may have that is not closed: its collateral is summed over all of them. */
export const openSubscriptionsMax = 1000

const countOpen = (owner: string): SQL => sql`(SELECT count(*) FROM ${openSubscriptions(owner)})`

const columns = {
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

const isPaidThere = sql`${projectMiners.projectId} = ${subscriptions.projectId}
  AND ${projectMiners.miner} = coalesce(${chainStates.state}->>'payout', ${subscriptions.owner})`

const newestFirst = [desc(subscriptions.createdAt), desc(subscriptions.subscriptionId)]

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

  /** The tokens that the newest subscriptions of a wallet are paid in. */
  async tokens(owner: Wallet, limit: number): Promise<Token[]> {
    const rows = await this.db
      .select({ token: subscriptions.token })
      .from(subscriptions)
      .where(eq(subscriptions.owner, owner))
      .orderBy(() => newestFirst)
      .limit(200)
    const tokens = new Map(rows.flatMap(({ token }) => (token === null ? [] : [[token.address, token]])))
    return [...tokens.values()].slice(0, limit)
  }

  /** The newest that are not closed. */
  async listOpen(owner: Wallet, limit: number): Promise<Subscription[]> {
    const rows = await this.#select()
      .where(and(eq(subscriptions.owner, owner), sql`NOT ${isClosed}`))
      .orderBy(() => newestFirst)
      .limit(limit)
    return rows.map(flat)
  }

  /** Those of a project with their devices, last subscribed first. */
  async listOfProject(
    projectId: string,
    after: Pick<Row, 'createdAt' | 'subscriptionId'> | undefined,
    limit: number,
  ): Promise<SubscribedDevice[]> {
    const { linkState, bannedAt, voteFaultAt, benchmarkFaultAt, owner, unboundAt } = devices
    const rows = await this.db
      .select({
        ...{
          row: subscriptions,
          chain: chainStates.state,
          isClosed: isClosed.mapWith(Boolean),
          class: devices.class,
        },
        device: { linkState, bannedAt, voteFaultAt, benchmarkFaultAt },
      })
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(
        devices,
        and(eq(devices.nodeId, subscriptions.nodeId), eq(owner, subscriptions.owner), isNull(unboundAt)),
      )
      .where(
        and(
          eq(subscriptions.projectId, projectId),
          after &&
            sql`(${subscriptions.createdAt}, ${subscriptions.subscriptionId}) <
                (${after.createdAt}, ${after.subscriptionId})`,
        ),
      )
      .orderBy(() => newestFirst)
      .limit(limit)
    return rows.map(flat)
  }

  /** The newest that are not closed, with what their owner should know of device and project. */
  async listWatched(owner: Wallet, limit: number): Promise<WatchedSubscription[]> {
    const { linkState, linkStateAt, boundAt, minerVersion, profileUpdatedAt, voteFaultAt } = devices
    const rows = await this.db
      .select({
        ...columns,
        ...{ linkState, linkStateAt, boundAt, minerVersion, profileUpdatedAt, voteFaultAt },
        ...{ listingStatus: projects.listingStatus, reviewedAt: projects.reviewedAt },
      })
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(projectMiners, isPaidThere)
      .leftJoin(devices, and(eq(devices.nodeId, subscriptions.nodeId), isNull(devices.unboundAt)))
      .leftJoin(projects, eq(projects.projectId, subscriptions.projectId))
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
        epochSecs: sql<number>`(
          SELECT json_extract(${projectVersions.manifest}, '$.consensus.work.epoch_secs') FROM ${projectVersions}
          WHERE ${projectVersions.projectId} = ${projects.projectId} AND ${projectVersions.version} = ${projects.version})`,
      })
      .from(subscriptions)
      .innerJoin(projects, eq(projects.projectId, subscriptions.projectId))
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(projectMiners, isPaidThere)
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
      .leftJoin(projectMiners, isPaidThere)
      .$dynamic()
  }
}
