import { and, eq, type InferSelectModel, isNull, sql } from 'drizzle-orm'
import type { ChainState } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { isClosed, isState } from './chain-facts.ts'
import { Store } from './database.ts'
import {
  chainStates,
  devices,
  nodes,
  projectMiners,
  projects,
  projectVersions,
  subscriptions,
  type Token,
} from './schema/index.ts'
import { flat } from './statements.ts'
import { columns, isPaidThere, newestFirst, type Subscription } from './subscriptions.ts'

type Row = InferSelectModel<typeof subscriptions>
type DeviceRow = InferSelectModel<typeof devices>
type NodeRow = InferSelectModel<typeof nodes>

/** A subscription with the fields that the list of a device's work shows. */
export interface DeviceSubscription extends Subscription {
  slug: string
  /** The epoch length of the version in force. */
  epochSecs: number
}

/** A subscription with its device, if that is still bound to its owner. */
export interface SubscribedDevice extends Row {
  chain: ChainState | null
  class: DeviceRow['class']
  device:
    | (Pick<DeviceRow, 'linkState' | 'bannedAt' | 'voteFaultAt' | 'benchmarkFaultAt'> & {
        node: Pick<NodeRow, 'status' | 'health'> | null
      })
    | null
}

type Nullable<T> = { [Name in keyof T]: T[Name] | null }

/** A subscription with its device, bound or not, and its project. */
export type WatchedSubscription = Subscription &
  Nullable<
    Pick<DeviceRow, 'linkState' | 'linkStateAt' | 'boundAt' | 'unboundAt' | 'bannedAt' | 'banReason'> &
      Pick<DeviceRow, 'minerVersion' | 'profileUpdatedAt' | 'voteFaultAt' | 'benchmarkFaultAt'> &
      Pick<typeof projects.$inferSelect, 'listingStatus' | 'reviewedAt'>
  >

/** Subscriptions with what few routes show beside them. */
export class SubscriptionLists extends Store {
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

  /** The subscriptions of a project with their devices, last subscribed first. */
  async listOfProject(
    projectId: string,
    after: Pick<Row, 'createdAt' | 'subscriptionId'> | undefined,
    limit: number,
  ): Promise<SubscribedDevice[]> {
    const { linkState, bannedAt, voteFaultAt, benchmarkFaultAt, owner, unboundAt } = devices
    const rows = await this.db
      .select({
        ...{ row: subscriptions, chain: chainStates.state, class: devices.class },
        device: { linkState, bannedAt, voteFaultAt, benchmarkFaultAt },
        // Named apart: devices and nodes have some columns of one name.
        nodeStatus: sql<NodeRow['status'] | null>`${nodes.status}`.as('node_status'),
        nodeHealth: sql<NodeRow['health']>`${nodes.health}`.as('node_health'),
      })
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(
        devices,
        and(eq(devices.nodeId, subscriptions.nodeId), eq(owner, subscriptions.owner), isNull(unboundAt)),
      )
      .leftJoin(nodes, eq(nodes.nodeId, devices.nodeId))
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
    return rows.map(({ nodeStatus, nodeHealth, device, ...row }) => ({
      ...flat(row),
      device: device && { ...device, node: nodeStatus && { status: nodeStatus, health: nodeHealth } },
    }))
  }

  /** The newest that are not closed, with what their owner should know of device and project. */
  async listWatched(owner: Wallet, limit: number): Promise<WatchedSubscription[]> {
    const { linkState, linkStateAt, boundAt, unboundAt, bannedAt, banReason } = devices
    const { minerVersion, profileUpdatedAt, voteFaultAt, benchmarkFaultAt } = devices
    const rows = await this.db
      .select({
        ...columns,
        ...{ linkState, linkStateAt, boundAt, unboundAt, bannedAt, banReason },
        ...{ minerVersion, profileUpdatedAt, voteFaultAt, benchmarkFaultAt },
        ...{ listingStatus: projects.listingStatus, reviewedAt: projects.reviewedAt },
      })
      .from(subscriptions)
      .leftJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .leftJoin(projectMiners, isPaidThere)
      .leftJoin(devices, eq(devices.nodeId, subscriptions.nodeId))
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
}
