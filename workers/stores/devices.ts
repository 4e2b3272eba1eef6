import { and, desc, eq, type InferSelectModel, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { auditStatement, type Decision } from './audit-log.ts'
import type { Wallet } from './caller.ts'
import { isClosed, isState } from './chain-facts.ts'
import { batch, isChanged, Store } from './database.ts'
import type { DeviceProfile } from './device-profile.ts'
import { bindings, chainStates, devices, nodes, subscriptions, type WorkDays } from './schema/index.ts'
import { insertFrom, isOneOf, replaced } from './statements.ts'

export type Binding = InferSelectModel<typeof bindings>
export type DeviceRow = InferSelectModel<typeof devices>
type NodeRow = InferSelectModel<typeof nodes>

/** A bound device, with what the node of the same key says as a node. */
export interface Device extends DeviceRow {
  node: Pick<NodeRow, 'status' | 'health' | 'lastHeartbeatAt' | 'region'> | null
  /** Its open subscriptions of its owner, {@link subscriptionsMax} at most. */
  subscriptions: { id: string; days: WorkDays }[]
}

export interface DeviceBan {
  publicKey: string
  bannedAt: number | null
  reason: string | null
}

/** An accepted record, before anybody knows whether it changes anything. */
export type BindingRecord = Omit<Binding, 'acceptedAt'>

/** Devices and the records that bind them to wallets. */
export class DeviceStore extends Store {
  async find(nodeId: string): Promise<Device | null> {
    const rows = await this.#select().where(isBoundAs(nodeId))
    return rows[0] ? joined(rows[0]) : null
  }

  /** The bound devices among `nodeIds`. */
  async findAll(nodeIds: readonly string[]): Promise<Map<string, DeviceRow>> {
    const rows = await this.db
      .select()
      .from(devices)
      .where(and(isOneOf(devices.nodeId, nodeIds), isNull(devices.unboundAt)))
    return new Map(rows.map((row) => [row.nodeId, row]))
  }

  async findBinding(bindingHash: string): Promise<Binding | null> {
    return (await this.db.select().from(bindings).where(eq(bindings.bindingHash, bindingHash)).get()) ?? null
  }

  /**
   * Whether the device was bound to the wallet at some time from `since` until before `until`, both in Unix seconds: it was
   * bound by then, and nothing had ended that before.
   */
  async wasBound(
    { nodeId, owner }: Pick<DeviceRow, 'nodeId' | 'owner'>,
    since: number,
    until: number,
  ): Promise<boolean> {
    const rows = await this.db.all(sql`
        SELECT 1 FROM ${bindings} AS b
        WHERE b.node_id = ${nodeId} AND b.owner = ${owner} AND b.action = 'bind' AND b.accepted_at < ${until}
          AND NOT EXISTS (SELECT 1 FROM ${bindings} AS later WHERE later.node_id = b.node_id
            AND later.accepted_at > b.accepted_at AND later.accepted_at <= ${since})
        LIMIT 1`)
    return rows.length > 0
  }

  /**
   * Binds the device, unless the record was used before or another wallet has the device. The device's row decides
   * between racing records, and the record is kept only where it won. A new owner begins without label and profile.
   */
  async bind(record: BindingRecord, now: number): Promise<'bound' | 'conflict'> {
    const { bindingHash, nodeId, publicKey, owner } = record
    const same = sql`${devices.owner} = excluded.owner`
    const kept = own.map((member) => [member, sql`iif(${same}, ${devices[member]}, NULL)`])
    const isNamed = sql`${devices.nodeId} = ${nodeId} AND ${devices.bindingHash} = ${bindingHash}`
    const results = await batch(this.db, [
      insertFrom(
        devices,
        { nodeId, publicKey, owner, bindingHash, boundAt: now },
        sql`WHERE NOT ${isKept(bindingHash)}`,
      ).onConflictDoUpdate({
        target: devices.nodeId,
        set: {
          ...replaced(devices, ['owner', 'bindingHash', 'boundAt']),
          ...{ unbindingHash: null, unboundAt: null },
          ...Object.fromEntries(kept),
        },
        setWhere: sql`${same} OR ${devices.unboundAt} IS NOT NULL`,
      }),
      insertBinding(record, now, isNamed),
      sql`SELECT 1 FROM ${devices} WHERE ${isNamed} AND ${devices.unboundAt} IS NULL`,
    ])
    return results[2]?.results.length === 1 ? 'bound' : 'conflict'
  }

  /**
   * Ends the active binding of this owner and device. @returns When it ended: for a record that ended one before, when it did. Null when
   * there is nothing to end.
   */
  async unbind(record: BindingRecord, now: number): Promise<number | null> {
    const { bindingHash, nodeId, owner } = record
    const results = await batch(this.db, [
      this.db
        .update(devices)
        .set({ unbindingHash: bindingHash, unboundAt: now })
        .where(and(isBoundAs(nodeId), eq(devices.owner, owner), sql`NOT ${isKept(bindingHash)}`)),
      insertBinding(
        record,
        now,
        sql`${devices.nodeId} = ${nodeId} AND ${devices.unbindingHash} = ${bindingHash}`,
      ),
      sql`SELECT accepted_at FROM ${bindings} WHERE ${bindings.bindingHash} = ${bindingHash}`,
    ])
    const [ended] = (results[2]?.results ?? []) as { accepted_at: number }[]
    return ended?.accepted_at ?? null
  }

  async setLabel(nodeId: string, owner: string, label: string | null): Promise<'set' | 'missing'> {
    const result = await this.db
      .update(devices)
      .set({ label })
      .where(and(isBoundAs(nodeId), eq(devices.owner, owner)))
    return isChanged(result) ? 'set' : 'missing'
  }

  /** @param isBenchmarkFaulty Whether its receipts differ from the pinned ones; null without any, which changes nothing. */
  async setProfile(
    nodeId: string,
    profile: DeviceProfile,
    isBenchmarkFaulty: boolean | null,
    now: number,
  ): Promise<'set' | 'missing'> {
    const fault = isBenchmarkFaulty === null ? {} : { benchmarkFaultAt: isBenchmarkFaulty ? now : null }
    const result = await this.db
      .update(devices)
      .set({ ...profile, ...fault, profileUpdatedAt: now })
      .where(isBoundAs(nodeId))
    return isChanged(result) ? 'set' : 'missing'
  }

  /** Bans or readmits the key, bound or not, and notes it in the audit log; does nothing if the key is in this state already. */
  async setBanned(
    nodeId: string,
    isBanned: boolean,
    decision: Decision,
    now: number,
  ): Promise<DeviceBan | null> {
    const action = isBanned ? 'device.ban' : 'device.readmit'
    const { publicKey, bannedAt, banReason } = devices
    const found = and(eq(devices.nodeId, nodeId), isBanned ? isNull(bannedAt) : isNotNull(bannedAt))
    const results = await batch(this.db, [
      auditStatement(
        { ...decision, action, subject: nodeId, after: { banned: isBanned } },
        now,
        sql`SELECT json_object('banned', json(iif(${bannedAt} IS NULL, 'false', 'true'))) AS value
          FROM ${devices} WHERE ${found}`,
      ),
      this.db
        .update(devices)
        .set({ bannedAt: isBanned ? now : null, banReason: isBanned ? decision.reason : null })
        .where(found),
      sql`SELECT ${publicKey} AS publicKey, ${bannedAt} AS bannedAt, ${banReason} AS reason
        FROM ${devices} WHERE ${devices.nodeId} = ${nodeId}`,
    ])
    return ((results[2]?.results ?? []) as unknown as DeviceBan[])[0] ?? null
  }

  /** Last bound first; `limit` rows after `after`. @param groupId - Only of this group. */
  async list(
    owner: Wallet,
    groupId: string | undefined,
    after: Pick<DeviceRow, 'boundAt' | 'nodeId'> | undefined,
    limit: number,
  ): Promise<Device[]> {
    const rows = await this.#select()
      .where(
        and(
          eq(devices.owner, owner),
          groupId === undefined ? undefined : eq(devices.groupId, groupId),
          isNull(devices.unboundAt),
          after && sql`(${devices.boundAt}, ${devices.nodeId}) < (${after.boundAt}, ${after.nodeId})`,
        ),
      )
      .orderBy(desc(devices.boundAt), desc(devices.nodeId))
      .limit(limit)
    return rows.map(joined)
  }

  async count(owner: string): Promise<number> {
    return this.db.$count(devices, and(eq(devices.owner, owner), isNull(devices.unboundAt)))
  }

  #select() {
    return this.db
      .select({
        device: devices,
        // Named apart: both tables have some of these columns.
        nodeStatus: sql<NodeRow['status'] | null>`${nodes.status}`.as('node_status'),
        nodeHealth: sql<NodeRow['health']>`${nodes.health}`.as('node_health'),
        nodeHeartbeatAt: sql<NodeRow['lastHeartbeatAt']>`${nodes.lastHeartbeatAt}`.as('node_heartbeat_at'),
        nodeRegion: sql<NodeRow['region']>`${nodes.region}`.as('node_region'),
        work: openWork.as('work'),
      })
      .from(devices)
      .leftJoin(nodes, eq(nodes.nodeId, devices.nodeId))
      .$dynamic()
  }
}

/** A device works for a few projects; more are not read. */
const subscriptionsMax = sql.raw('20')

const openWork = sql<string>`(SELECT json_group_array(json_object('id', id, 'days', json(days))) FROM (
  SELECT ${subscriptions.subscriptionId} AS id, ${subscriptions.days} AS days FROM ${subscriptions} INDEXED BY subscriptions_by_node
  LEFT JOIN ${chainStates} ON ${isState('subscription', subscriptions.subscriptionId)}
  WHERE ${subscriptions.nodeId} = ${devices.nodeId} AND ${subscriptions.owner} = ${devices.owner} AND NOT ${isClosed}
  LIMIT ${subscriptionsMax}))`

interface JoinedRow {
  device: DeviceRow
  nodeStatus: NodeRow['status'] | null
  nodeHealth: NodeRow['health']
  nodeHeartbeatAt: NodeRow['lastHeartbeatAt']
  nodeRegion: NodeRow['region']
  work: string
}

const joined = ({ device, nodeStatus, work, ...node }: JoinedRow): Device => ({
  ...device,
  node: nodeStatus && {
    ...{ status: nodeStatus, health: node.nodeHealth },
    ...{ lastHeartbeatAt: node.nodeHeartbeatAt, region: node.nodeRegion },
  },
  subscriptions: JSON.parse(work),
})

/** The columns that the owner and the device fill in; they are emptied for another owner. */
const own = [
  'label',
  'groupId',
  'class',
  'platform',
  'osVersion',
  'arch',
  'engine',
  'nodectlVersion',
  'minerVersion',
  'hardware',
  'benchmark',
  'profileUpdatedAt',
  'benchmarkFaultAt',
] as const

const isBoundAs = (nodeId: string) => and(eq(devices.nodeId, nodeId), isNull(devices.unboundAt))

const isKept = (bindingHash: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${bindings} WHERE ${bindings.bindingHash} = ${bindingHash})`

/** Keeps the record if the device's row names it. */
const insertBinding = (record: BindingRecord, now: number, named: SQL) =>
  insertFrom(
    bindings,
    { ...record, acceptedAt: now },
    sql`FROM ${devices} WHERE ${named}`,
  ).onConflictDoNothing()
