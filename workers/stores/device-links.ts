import { sql } from 'drizzle-orm'
import type { LinkView } from '../../durable-objects/link/types.ts'
import { Store } from './database.ts'
import { devices, nodes, relayTotals } from './schema/index.ts'

/** What decides whether a device may have a socket. */
export interface DeviceStanding {
  isBound: boolean
  isRegistered: boolean
  isBanned: boolean
  /** For another reason than its votes, which its link knows of. */
  isFaulty: boolean
}

export interface RelayTotals {
  connectedDevices: number
  availableSlots: number
}

/** What the relay says of devices, and whom it lets in. */
export class DeviceLinkStore extends Store {
  /** Writes what a link says, unless something newer is there. */
  async publish(view: LinkView, revision: number, now: number): Promise<void> {
    await this.db.run(sql`
        UPDATE ${devices} SET link_state = ${view.state}, link_revision = ${revision},
          connected_since = ${view.connectedSince}, free_slots = ${view.freeSlots},
          vote_fault_at = iif(${view.isVoteFaulty ? 1 : 0}, coalesce(vote_fault_at, ${now}), NULL)
        WHERE public_key = ${view.nodeKey} AND link_revision < ${revision}`)
  }

  /** Null for a key that no device ever had. */
  async standing(publicKey: string): Promise<DeviceStanding | null> {
    const [row] = await this.db.all<Record<keyof DeviceStanding, number>>(sql`
        SELECT d.unbound_at IS NULL AS isBound, n.node_id IS NOT NULL AS isRegistered,
          d.banned_at IS NOT NULL OR coalesce(n.status = 'revoked', 0) AS isBanned,
          d.benchmark_fault_at IS NOT NULL OR coalesce(n.health = 'faulty', 0) AS isFaulty
        FROM ${devices} AS d LEFT JOIN ${nodes} AS n ON n.node_id = d.node_id
        WHERE d.public_key = ${publicKey}`)
    if (row === undefined) return null
    return {
      isBound: row.isBound === 1,
      isRegistered: row.isRegistered === 1,
      isBanned: row.isBanned === 1,
      isFaulty: row.isFaulty === 1,
    }
  }

  /** Kept in step by a trigger, so that reading them costs one row. */
  async totals(): Promise<RelayTotals> {
    const [row] = await this.db.select().from(relayTotals)
    return { connectedDevices: row?.connectedDevices ?? 0, availableSlots: row?.availableSlots ?? 0 }
  }
}
