import { lte } from 'drizzle-orm'
import { type Database, query } from './database.ts'
import { nodeRequestNonces } from './schema.ts'

/** Nonces of node-signed requests, kept for as long as their timestamps could be accepted again. */
export class NodeRequestNonceStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** Of any number of racing requests with one (key, nonce) exactly one gets `stored`. */
  async spend(publicKey: string, nonce: string, expiresAt: number): Promise<'stored' | 'seen'> {
    const result = await query(
      this.#db.insert(nodeRequestNonces).values({ publicKey, nonce, expiresAt }).onConflictDoNothing(),
    )
    return result.meta.changes === 1 ? 'stored' : 'seen'
  }

  async purge(now: number): Promise<void> {
    await query(this.#db.delete(nodeRequestNonces).where(lte(nodeRequestNonces.expiresAt, now)))
  }
}
