import { lte, type SQL, sql } from 'drizzle-orm'
import { batch, type Database, query, read } from './database.ts'
import { devices, nodeRequestNonces, nodes } from './schema.ts'

export interface NodeRequestNonce {
  publicKey: string
  nonce: string
  expiresAt: number
}

/** What the hub knows a key as: that of an approved node, of another registered node or a bound device, or not at all. */
export type KeyStanding = 'approved' | 'known' | 'unknown'

/** Nonces of node-signed requests, kept for as long as their timestamps could be accepted again. */
export class NodeRequestNonceStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Of any number of racing requests with one (key, nonce) exactly one is `fresh`. A key that is unknown keeps a nonce
   * only where the call takes any key.
   */
  async spend(
    { publicKey, nonce, expiresAt }: NodeRequestNonce,
    takes: 'known_key' | 'any_key',
  ): Promise<{ fresh: boolean; standing: KeyStanding }> {
    const [inserted, known] = await batch(this.#db, [
      sql`INSERT INTO ${nodeRequestNonces} (public_key, nonce, expires_at)
        SELECT ${publicKey}, ${nonce}, ${expiresAt}
        WHERE ${takes === 'any_key' ? 1 : 0} OR EXISTS (${rowsOf(publicKey)})
        ON CONFLICT DO NOTHING`,
      rowsOf(publicKey),
    ])
    const rows = (known?.results ?? []) as unknown as KeyRow[]
    return { fresh: inserted?.meta.changes === 1, standing: standingOf(rows) }
  }

  async standing(publicKey: string): Promise<KeyStanding> {
    return standingOf(await read(() => this.#db.all<KeyRow>(rowsOf(publicKey))))
  }

  async purge(now: number): Promise<void> {
    await query(this.#db.delete(nodeRequestNonces).where(lte(nodeRequestNonces.expiresAt, now)))
  }
}

interface KeyRow {
  status: string
}

const rowsOf = (publicKey: string): SQL => sql`
  SELECT status FROM ${nodes} WHERE public_key = ${publicKey}
  UNION ALL SELECT 'bound' FROM ${devices} WHERE public_key = ${publicKey} AND unbound_at IS NULL`

function standingOf(rows: readonly KeyRow[]): KeyStanding {
  if (rows.some(({ status }) => status === 'approved')) return 'approved'
  return rows.length > 0 ? 'known' : 'unknown'
}
