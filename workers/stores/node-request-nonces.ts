import { type SQL, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { chainStates, devices, nodeRequestNonces, nodes, subscriptions } from './schema/index.ts'
import { insertFrom } from './statements.ts'

export type NodeRequestNonce = typeof nodeRequestNonces.$inferSelect

/**
 * The standing of a key. `vouched`: it has an operator's approval or collateral, neither of which can be made at will.
 * `known`: it is registered, or of a bound device.
 */
export type KeyStanding = 'vouched' | 'known' | 'unknown'

/** Nonces of node-signed requests, kept for as long as their timestamps could be accepted again. */
export class NodeRequestNonceStore extends Store {
  /**
   * Of any number of racing requests with one (key, nonce) exactly one is `fresh`. A key that is unknown keeps a nonce
   * only where the call takes any key.
   */
  async spend(
    nonce: NodeRequestNonce,
    takes: 'known_key' | 'any_key',
  ): Promise<{ fresh: boolean; standing: KeyStanding }> {
    const standing = standingOf(nonce.publicKey)
    const isTaken = takes === 'any_key' ? sql`true` : sql`(${standing}) <> 'unknown'`
    const [inserted, found] = await batch(this.db, [
      insertFrom(nodeRequestNonces, nonce, sql`WHERE ${isTaken}`).onConflictDoNothing(),
      standing,
    ])
    const [row] = (found?.results ?? []) as unknown as StandingRow[]
    return { fresh: inserted?.meta.changes === 1, standing: row?.standing ?? 'unknown' }
  }

  async standing(publicKey: string): Promise<KeyStanding> {
    const [row] = await this.db.all<StandingRow>(standingOf(publicKey))
    return row?.standing ?? 'unknown'
  }
}

interface StandingRow {
  standing: KeyStanding
}

/**
 * Vouched is the key of an approved validator, or of a device with as much collateral as its project asks for. Amounts are
 * decimals of any length: the longer is the larger.
 */
const standingOf = (publicKey: string): SQL => sql`
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM ${nodes} WHERE ${nodes.publicKey} = ${publicKey}
        AND ${nodes.role} = 'validator' AND ${nodes.status} = 'approved')
      OR EXISTS (SELECT 1 FROM ${chainStates}
        JOIN ${subscriptions} ON ${subscriptions.subscriptionId} = ${chainStates.subject}
        WHERE ${chainStates.kind} = 'subscription' AND json_extract(${chainStates.state}, '$.status') = 'bonded'
          AND json_extract(${chainStates.state}, '$.node_key') = ${publicKey}
          AND (length(${chainStates.state}->>'collateral'), ${chainStates.state}->>'collateral')
            >= (length(${subscriptions.minCollateral}), ${subscriptions.minCollateral}))
      THEN 'vouched'
    WHEN EXISTS (SELECT 1 FROM ${nodes} WHERE ${nodes.publicKey} = ${publicKey}) OR EXISTS (SELECT 1 FROM ${devices}
        WHERE ${devices.publicKey} = ${publicKey} AND ${devices.unboundAt} IS NULL)
      THEN 'known'
    ELSE 'unknown' END AS standing`
