import { asc, eq, getTableColumns, type InferSelectModel, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { chainEvents, transactions } from './schema/index.ts'

export type Transaction = InferSelectModel<typeof transactions>
/** With whether an event that its transaction emitted is indexed. */
export type IndexedTransaction = Transaction & { hasEvents: boolean }

/** Copies of what the relayer knows, so that reading one does not ask the relayer. */
export class TransactionStore extends Store {
  async find(id: string): Promise<IndexedTransaction | null> {
    const hasEvents = sql<number>`
      EXISTS (SELECT 1 FROM ${chainEvents} AS e WHERE e.tx_hash = ${transactions}.tx_hash)`
    const columns = { ...getTableColumns(transactions), hasEvents }
    const [row] = await this.db.select(columns).from(transactions).where(eq(transactions.id, id))
    return row ? { ...row, hasEvents: row.hasEvents === 1 } : null
  }

  /**
   * Inserts or updates an action that the relayer did not bring. What the relayer says of one stays.
   *
   * @returns The record as it is from here on.
   */
  async putForeign(transaction: Transaction): Promise<IndexedTransaction | null> {
    const { id, status, txHash, error, confirmations, updatedAt } = transaction
    await this.db
      .insert(transactions)
      .values(transaction)
      .onConflictDoUpdate({
        target: transactions.id,
        set: { status, txHash, error, confirmations, updatedAt },
        setWhere: eq(transactions.revision, 0),
      })
    return this.find(id)
  }

  /** Actions that the relayer did not bring and that are not final, longest untouched first. */
  async foreignToFollow(limit: number): Promise<Transaction[]> {
    return this.db
      .select()
      .from(transactions)
      .where(sql`revision = 0 AND status = 'sent'`)
      .orderBy(asc(transactions.updatedAt))
      .limit(limit)
  }

  /** Inserts or updates all of them in one statement; a row with a higher revision stays as it is. */
  async put(copies: readonly Transaction[]): Promise<void> {
    const rows = JSON.stringify(copies)
    await this.db.run(sql`
        INSERT INTO ${transactions}
          (id, action, owner, status, tx_hash, error, confirmations, created_at, updated_at, revision)
        SELECT value->>'id', value->>'action', value->>'owner', value->>'status', value->>'txHash',
          value->>'error', value->>'confirmations', value->>'createdAt', value->>'updatedAt', value->>'revision'
        FROM json_each(${rows}) WHERE true
        ON CONFLICT (id) DO UPDATE SET status = excluded.status, tx_hash = excluded.tx_hash,
          error = excluded.error, confirmations = excluded.confirmations, updated_at = excluded.updated_at,
          revision = excluded.revision
        WHERE excluded.revision > ${transactions.revision}`)
  }
}
