import { lte, type SQL, sql } from 'drizzle-orm'
import { batch, type Database, query, read } from './database.ts'
import { nodeRequestNonces } from './schema.ts'

/** Nonces of node-signed requests, kept for as long as their timestamps could be accepted again. */
export class NodeRequestNonceStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Of any number of racing requests with one (key, nonce) exactly one is `fresh`. `vouched` is as {@link isVouched} says.
   */
  async spend(
    publicKey: string,
    nonce: string,
    expiresAt: number,
  ): Promise<{ fresh: boolean; vouched: boolean }> {
    const [inserted, known] = await batch(this.#db, [
      sql`INSERT INTO ${nodeRequestNonces} (public_key, nonce, expires_at)
        VALUES (${publicKey}, ${nonce}, ${expiresAt}) ON CONFLICT DO NOTHING`,
      vouchersOf(publicKey),
    ])
    return { fresh: inserted?.meta.changes === 1, vouched: known?.results.length === 1 }
  }

  /** Whether something that cannot be made at will stands behind the key: an operator's approval, or collateral. */
  async isVouched(publicKey: string): Promise<boolean> {
    const rows = await read(() => this.#db.all(vouchersOf(publicKey)))
    return rows.length === 1
  }

  async purge(now: number): Promise<void> {
    await query(this.#db.delete(nodeRequestNonces).where(lte(nodeRequestNonces.expiresAt, now)))
  }
}

/**
 * One row when the key is that of an approved validator, or of a device with as much collateral as its project asks for.
 * Amounts are decimals of any length: the longer is the larger.
 */
const vouchersOf = (publicKey: string): SQL => sql`
  SELECT 1 WHERE EXISTS (SELECT 1 FROM nodes
      WHERE public_key = ${publicKey} AND role = 'validator' AND status = 'approved')
    OR EXISTS (SELECT 1 FROM chain_states AS c
      JOIN subscriptions AS s ON s.subscription_id = c.subject
      WHERE c.kind = 'subscription' AND json_extract(c.state, '$.status') = 'bonded'
        AND json_extract(c.state, '$.node_key') = ${publicKey}
        AND (length(c.state->>'collateral'), c.state->>'collateral') >= (length(s.min_collateral), s.min_collateral))`
