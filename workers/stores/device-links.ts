import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import type { LinkView } from '../../durable-objects/link/types.ts'
import { Store } from './database.ts'
import { devices, nodes, relayTotals } from './schema/index.ts'
import { lastMigration } from './schema/last-migration.ts'

export type DeviceStanding = NonNullable<Awaited<ReturnType<DeviceLinkStore['standing']>>>
export type RelayTotals = Omit<typeof relayTotals.$inferSelect, 'id'>

/** The link states that the relay reports for devices, and the standing of keys that ask for a link. */
export class DeviceLinkStore extends Store {
  /** Writes what a link says, unless something newer is there. */
  async publish(view: LinkView, revision: number, now: number): Promise<void> {
    const { state: linkState, connectedSince, freeSlots } = view
    const voteFaultAt = view.isVoteFaulty ? sql`coalesce(${devices.voteFaultAt}, ${now})` : null
    await this.db
      .update(devices)
      .set({
        ...{ linkState, linkRevision: revision, connectedSince, freeSlots, voteFaultAt },
        linkStateAt: sql`iif(${devices.linkState} = ${linkState}, ${devices.linkStateAt}, ${now})`,
      })
      .where(and(eq(devices.publicKey, view.nodeKey), lt(devices.linkRevision, revision)))
  }

  /**
   * The standing of a key; null if no device and no node ever had it. Invalid votes do not count as a fault here: its link knows
   * of them.
   */
  async standing(publicKey: string) {
    const is = (condition: SQL) => condition.mapWith(Boolean)
    const isRevoked = sql`coalesce(${nodes.status} = 'revoked', 0)`
    const isValidator = is(sql`coalesce(${nodes.role} = 'validator' AND ${nodes.status} = 'approved', 0)`)
    const [row] = await this.db
      .select({
        isBound: is(sql`${devices.unboundAt} IS NULL`),
        isRegistered: is(sql`${nodes.nodeId} IS NOT NULL`),
        isBanned: is(sql`${devices.bannedAt} IS NOT NULL OR ${isRevoked}`),
        isFaulty: is(sql`${devices.benchmarkFaultAt} IS NOT NULL OR coalesce(${nodes.health} = 'faulty', 0)`),
        isValidator,
      })
      .from(devices)
      .leftJoin(nodes, eq(nodes.nodeId, devices.nodeId))
      .where(eq(devices.publicKey, publicKey))
    if (row !== undefined) return row
    // Validators are seldom devices.
    const [node] = await this.db
      .select({ isBanned: is(isRevoked), isValidator })
      .from(nodes)
      .where(eq(nodes.publicKey, publicKey))
    return node === undefined ? null : { isBound: false, isRegistered: true, isFaulty: false, ...node }
  }

  /** Kept in step by a trigger, so that reading them costs one row; another tells whether the database is as new as this build. */
  async totals(): Promise<RelayTotals & { isMigrated: boolean }> {
    const { connectedDevices, availableSlots } = relayTotals
    const isMigrated = sql`EXISTS (SELECT 1 FROM d1_migrations WHERE name = ${lastMigration})`.mapWith(
      Boolean,
    )
    const [row] = await this.db.select({ connectedDevices, availableSlots, isMigrated }).from(relayTotals)
    return row ?? { connectedDevices: 0, availableSlots: 0, isMigrated: false }
  }
}
