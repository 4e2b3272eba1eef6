import { and, count, desc, eq, type InferSelectModel, isNull, sql } from 'drizzle-orm'
import { auditStatement, type OperatorAction } from './audit-log.ts'
import type { Wallet } from './caller.ts'
import { batch, isChanged, Store } from './database.ts'
import type { DeviceProfile } from './device-profile.ts'
import { bindings, devices, nodes } from './schema/index.ts'

export type Binding = InferSelectModel<typeof bindings>
type DeviceRow = InferSelectModel<typeof devices>
type NodeRow = InferSelectModel<typeof nodes>

/** A bound device, with what the node of the same key says as a node. */
export interface Device extends DeviceRow {
  node: Pick<NodeRow, 'status' | 'health' | 'lastHeartbeatAt'> | null
}

export interface DeviceBan {
  publicKey: string
  bannedAt: number | null
  reason: string | null
}

export interface DevicePosition {
  boundAt: number
  nodeId: string
}

/** An accepted record, before anybody knows whether it changes anything. */
export type BindingRecord = Omit<Binding, 'acceptedAt'>

/** Devices and the records that bind them to wallets. */
export class DeviceStore extends Store {
  /** A bound device. */
  async find(nodeId: string): Promise<Device | null> {
    const rows = await this.#select().where(and(eq(devices.nodeId, nodeId), isNull(devices.unboundAt)))
    return rows[0] ? joined(rows[0]) : null
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
    const kept = (column: string) =>
      sql`${sql.identifier(column)} = iif(${devices}.owner = excluded.owner, ${devices}.${sql.identifier(column)}, NULL)`
    const own = [
      'label',
      'class',
      'platform',
      'os_version',
      'arch',
      'engine',
      'nodectl_version',
      'hardware',
      'benchmark',
      'profile_updated_at',
      'benchmark_fault_at',
    ]
    const results = await batch(this.db, [
      sql`
        INSERT INTO ${devices} (node_id, public_key, owner, binding_hash, bound_at)
        SELECT ${nodeId}, ${publicKey}, ${owner}, ${bindingHash}, ${now}
        WHERE NOT EXISTS (SELECT 1 FROM ${bindings} WHERE binding_hash = ${bindingHash})
        ON CONFLICT (node_id) DO UPDATE SET owner = excluded.owner, binding_hash = excluded.binding_hash,
          bound_at = excluded.bound_at, unbinding_hash = NULL, unbound_at = NULL, ${sql.join(own.map(kept), sql`, `)}
        WHERE ${devices}.owner = excluded.owner OR ${devices}.unbound_at IS NOT NULL`,
      insertBinding(record, now, sql`node_id = ${nodeId} AND binding_hash = ${bindingHash}`),
      sql`
        SELECT 1 FROM ${devices}
        WHERE node_id = ${nodeId} AND binding_hash = ${bindingHash} AND unbound_at IS NULL`,
    ])
    return results[2]?.results.length === 1 ? 'bound' : 'conflict'
  }

  /**
   * Ends the active binding of this owner and device.
   *
   * @returns When it ended: for a record that ended one before, when it did. Null when there is nothing to end.
   */
  async unbind(record: BindingRecord, now: number): Promise<number | null> {
    const { bindingHash, nodeId, owner } = record
    const results = await batch(this.db, [
      sql`
        UPDATE ${devices} SET unbinding_hash = ${bindingHash}, unbound_at = ${now}
        WHERE node_id = ${nodeId} AND owner = ${owner} AND unbound_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM ${bindings} WHERE binding_hash = ${bindingHash})`,
      insertBinding(record, now, sql`node_id = ${nodeId} AND unbinding_hash = ${bindingHash}`),
      sql`SELECT accepted_at FROM ${bindings} WHERE binding_hash = ${bindingHash}`,
    ])
    const [ended] = (results[2]?.results ?? []) as { accepted_at: number }[]
    return ended?.accepted_at ?? null
  }

  async setLabel(nodeId: string, owner: string, label: string | null): Promise<'set' | 'missing'> {
    const result = await this.db
      .update(devices)
      .set({ label })
      .where(and(eq(devices.nodeId, nodeId), eq(devices.owner, owner), isNull(devices.unboundAt)))
    return result.meta.changes === 1 ? 'set' : 'missing'
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
      .where(and(eq(devices.nodeId, nodeId), isNull(devices.unboundAt)))
    return isChanged(result) ? 'set' : 'missing'
  }

  /**
   * Bans or readmits the key, bound or not, and notes it in the audit log; does nothing if the key is in this state
   * already.
   */
  async setBanned(
    nodeId: string,
    isBanned: boolean,
    { operator, reason }: Pick<OperatorAction, 'operator' | 'reason'>,
    now: number,
  ): Promise<DeviceBan | null> {
    const action = {
      operator,
      reason,
      action: isBanned ? 'device.ban' : 'device.readmit',
      subject: nodeId,
      after: { banned: isBanned },
    }
    const found = sql`node_id = ${nodeId} AND (banned_at IS NOT NULL) <> ${isBanned ? 1 : 0}`
    const results = await batch(this.db, [
      auditStatement(
        action,
        now,
        sql`SELECT json_object('banned', json(iif(banned_at IS NULL, 'false', 'true'))) AS value
          FROM ${devices} WHERE ${found}`,
      ),
      sql`UPDATE ${devices} SET banned_at = ${isBanned ? now : null}, ban_reason = ${isBanned ? reason : null}
        WHERE ${found}`,
      sql`SELECT public_key AS publicKey, banned_at AS bannedAt, ban_reason AS reason
        FROM ${devices} WHERE node_id = ${nodeId}`,
    ])
    const [row] = (results[2]?.results ?? []) as unknown as DeviceBan[]
    return row ?? null
  }

  /** Last bound first; `limit` rows after `after`. */
  async list(owner: Wallet, after: DevicePosition | undefined, limit: number): Promise<Device[]> {
    const rows = await this.#select()
      .where(
        and(
          eq(devices.owner, owner),
          isNull(devices.unboundAt),
          after && sql`(${devices.boundAt}, ${devices.nodeId}) < (${after.boundAt}, ${after.nodeId})`,
        ),
      )
      .orderBy(desc(devices.boundAt), desc(devices.nodeId))
      .limit(limit)
    return rows.map(joined)
  }

  async count(owner: string): Promise<number> {
    const [row] = await this.db
      .select({ devices: count() })
      .from(devices)
      .where(and(eq(devices.owner, owner), isNull(devices.unboundAt)))
    return row?.devices ?? 0
  }

  #select() {
    return this.db
      .select({
        device: devices,
        // Named apart: both tables have some of these columns.
        nodeStatus: sql<NodeRow['status'] | null>`${nodes.status}`.as('node_status'),
        nodeHealth: sql<NodeRow['health']>`${nodes.health}`.as('node_health'),
        nodeHeartbeatAt: sql<NodeRow['lastHeartbeatAt']>`${nodes.lastHeartbeatAt}`.as('node_heartbeat_at'),
      })
      .from(devices)
      .leftJoin(nodes, eq(nodes.nodeId, devices.nodeId))
      .$dynamic()
  }
}

interface JoinedRow {
  device: DeviceRow
  nodeStatus: NodeRow['status'] | null
  nodeHealth: NodeRow['health']
  nodeHeartbeatAt: NodeRow['lastHeartbeatAt']
}

const joined = ({ device, nodeStatus, nodeHealth, nodeHeartbeatAt }: JoinedRow): Device => ({
  ...device,
  node: nodeStatus && { status: nodeStatus, health: nodeHealth, lastHeartbeatAt: nodeHeartbeatAt },
})

/** Keeps the record if the device's row names it. */
const insertBinding = (
  { bindingHash, action, nodeId, publicKey, owner, message, issuedAt, nonce, ...signatures }: BindingRecord,
  now: number,
  named: ReturnType<typeof sql>,
) => sql`
  INSERT INTO ${bindings} (binding_hash, action, node_id, public_key, owner, message, issued_at, nonce,
    owner_signature, node_signature, accepted_at)
  SELECT ${bindingHash}, ${action}, ${nodeId}, ${publicKey}, ${owner}, ${message}, ${issuedAt}, ${nonce},
    ${signatures.ownerSignature}, ${signatures.nodeSignature}, ${now}
  FROM ${devices} WHERE ${named}
  ON CONFLICT DO NOTHING`
