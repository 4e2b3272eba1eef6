import { and, asc, eq, getTableColumns, type InferSelectModel, or, type SQL, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { chainEvents, transactions } from './schema/index.ts'
import { insertFrom, listed, membersOf, replaced } from './statements.ts'

export type Transaction = InferSelectModel<typeof transactions>
/** With whether an event that its transaction emitted is indexed. */
export type IndexedTransaction = Transaction & { hasEvents: boolean }

/** Copies of what the relayer knows, so that reading one does not ask the relayer. */
export class TransactionStore extends Store {
  /** @param id Of the action, or the hash of the transaction that carries it. */
  async find(id: string): Promise<IndexedTransaction | null> {
    const indexed = sql`SELECT 1 FROM ${chainEvents} WHERE ${chainEvents.txHash} = ${transactions.txHash}`
    const hasEvents = sql<number>`EXISTS (${indexed})`
    const columns = { ...getTableColumns(transactions), hasEvents }
    const [row] = await this.db
      .select(columns)
      .from(transactions)
      .where(or(eq(transactions.id, id), eq(transactions.txHash, id)))
      .limit(1)
    return row ? { ...row, hasEvents: row.hasEvents === 1 } : null
  }

  /**
   * Inserts an action that the relayer did not submit, or updates it if it has changed. The relayer's own records stay as they are.
   * @returns The record as it is from here on.
   */
  async recordForeign(transaction: Transaction): Promise<IndexedTransaction | null> {
    const { status, txHash, confirmations } = transactions
    const before = sql`(${status}, ${txHash}, ${confirmations})`
    await this.#putForeign(
      transaction,
      sql`${before} IS NOT (excluded.status, excluded.tx_hash, excluded.confirmations)`,
    )
    return this.find(transaction.id)
  }

  /** Updates such an action, which was looked at now, whether it has changed or not. */
  followForeign(transaction: Transaction): Promise<void> {
    return this.#putForeign(transaction)
  }

  async #putForeign(transaction: Transaction, where?: SQL): Promise<void> {
    const { status, txHash, error, confirmations, updatedAt } = transaction
    await this.db
      .insert(transactions)
      .values(transaction)
      .onConflictDoUpdate({
        target: transactions.id,
        set: { status, txHash, error, confirmations, updatedAt },
        setWhere: and(eq(transactions.revision, 0), where)!,
      })
  }

  /** Actions that the relayer did not bring and that are not final, longest untouched first. */
  async foreignToFollow(limit: number): Promise<Transaction[]> {
    return this.db
      .select()
      .from(transactions)
      .where(sql`${transactions.revision} = 0 AND ${transactions.status} = 'sent'`)
      .orderBy(asc(transactions.updatedAt))
      .limit(limit)
  }

  /** Inserts or updates all of them in one statement; a row with a higher revision stays as it is. */
  async put(copies: readonly Transaction[]): Promise<void> {
    const { id: _, action, owner, createdAt, ...moving } = getTableColumns(transactions)
    const members = membersOf(moving)
    const row = listed(transactions, ['id', 'action', 'owner', 'createdAt', ...members])
    await this.db.run(
      insertFrom(
        transactions,
        row,
        sql`FROM json_each(${JSON.stringify(copies)}) WHERE true`,
      ).onConflictDoUpdate({
        target: transactions.id,
        set: replaced(transactions, members),
        setWhere: sql`excluded.revision > ${transactions.revision}`,
      }),
    )
  }
}
