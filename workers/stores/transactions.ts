import { eq, getTableColumns, type InferSelectModel, sql } from 'drizzle-orm'
import { type Database, query, read } from './database.ts'
import { chainEvents, transactions } from './schema.ts'

export type Transaction = InferSelectModel<typeof transactions>

/** Copies of what the relayer knows, so that reading one does not ask the relayer. */
export class TransactionStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** With whether an event that its transaction emitted is indexed. */
  async find(id: string): Promise<(Transaction & { hasEvents: boolean }) | null> {
    const hasEvents = sql<number>`
      EXISTS (SELECT 1 FROM ${chainEvents} AS e WHERE e.tx_hash = ${transactions}.tx_hash)`
    const columns = { ...getTableColumns(transactions), hasEvents }
    const [row] = await read(() => this.#db.select(columns).from(transactions).where(eq(transactions.id, id)))
    return row ? { ...row, hasEvents: row.hasEvents === 1 } : null
  }

  /** Inserts or updates all of them in one statement; a row with a higher revision stays as it is. */
  async put(copies: readonly Transaction[]): Promise<void> {
    const rows = JSON.stringify(copies)
    await query(
      this.#db.run(sql`
        INSERT INTO ${transactions}
          (id, action, owner, status, tx_hash, error, confirmations, created_at, updated_at, revision)
        SELECT value->>'id', value->>'action', value->>'owner', value->>'status', value->>'txHash',
          value->>'error', value->>'confirmations', value->>'createdAt', value->>'updatedAt', value->>'revision'
        FROM json_each(${rows}) WHERE true
        ON CONFLICT (id) DO UPDATE SET status = excluded.status, tx_hash = excluded.tx_hash,
          error = excluded.error, confirmations = excluded.confirmations, updated_at = excluded.updated_at,
          revision = excluded.revision
        WHERE excluded.revision > ${transactions.revision}`),
    )
  }
}
