import { lte, type SQL, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { devices, nodeRequestNonces, nodes } from './schema/index.ts'

export interface NodeRequestNonce {
  publicKey: string
  nonce: string
  expiresAt: number
}

/**
 * What the hub knows of a key. `vouched`: something that cannot be made at will stands behind it, which is an operator's
 * approval or collateral. `known`: it is registered, or of a bound device.
 */
export type KeyStanding = 'vouched' | 'known' | 'unknown'

/** Nonces of node-signed requests, kept for as long as their timestamps could be accepted again. */
export class NodeRequestNonceStore extends Store {
  /**
   * Of any number of racing requests with one (key, nonce) exactly one is `fresh`. A key that is unknown keeps a nonce
   * only where the call takes any key.
   */
  async spend(
    { publicKey, nonce, expiresAt }: NodeRequestNonce,
    takes: 'known_key' | 'any_key',
  ): Promise<{ fresh: boolean; standing: KeyStanding }> {
    const [inserted, found] = await batch(this.db, [
      sql`INSERT INTO ${nodeRequestNonces} (public_key, nonce, expires_at)
        SELECT ${publicKey}, ${nonce}, ${expiresAt}
        WHERE ${takes === 'any_key' ? 1 : 0} OR (${standingOf(publicKey)}) <> 'unknown'
        ON CONFLICT DO NOTHING`,
      standingOf(publicKey),
    ])
    const [row] = (found?.results ?? []) as unknown as StandingRow[]
    return { fresh: inserted?.meta.changes === 1, standing: row?.standing ?? 'unknown' }
  }

  async standing(publicKey: string): Promise<KeyStanding> {
    const [row] = await this.db.all<StandingRow>(standingOf(publicKey))
    return row?.standing ?? 'unknown'
  }

  async purge(now: number): Promise<void> {
    await this.db.delete(nodeRequestNonces).where(lte(nodeRequestNonces.expiresAt, now))
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
    WHEN EXISTS (SELECT 1 FROM ${nodes}
        WHERE public_key = ${publicKey} AND role = 'validator' AND status = 'approved')
      OR EXISTS (SELECT 1 FROM chain_states AS c
        JOIN subscriptions AS s ON s.subscription_id = c.subject
        WHERE c.kind = 'subscription' AND json_extract(c.state, '$.status') = 'bonded'
          AND json_extract(c.state, '$.node_key') = ${publicKey}
          AND (length(c.state->>'collateral'), c.state->>'collateral') >= (length(s.min_collateral), s.min_collateral))
      THEN 'vouched'
    WHEN EXISTS (SELECT 1 FROM ${nodes} WHERE public_key = ${publicKey})
      OR EXISTS (SELECT 1 FROM ${devices} WHERE public_key = ${publicKey} AND unbound_at IS NULL)
      THEN 'known'
    ELSE 'unknown' END AS standing`
