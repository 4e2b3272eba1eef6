import { and, eq, lte, sql } from 'drizzle-orm'
import { batch, type Database, query, read } from './database.ts'
import { nodeRequestNonces, nodes } from './schema.ts'

/** Nonces of node-signed requests, kept for as long as their timestamps could be accepted again. */
export class NodeRequestNonceStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Of any number of racing requests with one (key, nonce) exactly one is `fresh`. `registered` says whether the key is
   * that of an approved node.
   */
  async spend(
    publicKey: string,
    nonce: string,
    expiresAt: number,
  ): Promise<{ fresh: boolean; registered: boolean }> {
    const [inserted, known] = await batch(this.#db, [
      sql`INSERT INTO ${nodeRequestNonces} (public_key, nonce, expires_at)
        VALUES (${publicKey}, ${nonce}, ${expiresAt}) ON CONFLICT DO NOTHING`,
      sql`SELECT 1 FROM ${nodes} WHERE public_key = ${publicKey} AND status = 'approved'`,
    ])
    return { fresh: inserted?.meta.changes === 1, registered: known?.results.length === 1 }
  }

  /** Whether the key is that of an approved node. */
  async isRegistered(publicKey: string): Promise<boolean> {
    const rows = await read(() =>
      this.#db
        .select({ nodeId: nodes.nodeId })
        .from(nodes)
        .where(and(eq(nodes.publicKey, publicKey), eq(nodes.status, 'approved'))),
    )
    return rows.length === 1
  }

  async purge(now: number): Promise<void> {
    await query(this.#db.delete(nodeRequestNonces).where(lte(nodeRequestNonces.expiresAt, now)))
  }
}
