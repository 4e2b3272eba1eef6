import { getTableColumns, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { chainBlocks, chainCursor } from './schema/index.ts'

/** How far the chain is indexed. */
export class IndexReachStore extends Store {
  /** The cursor, and the time of the newest indexed block in Unix seconds; in one query. Null before the first. */
  async find() {
    const { number, timestamp } = chainBlocks
    const newest = sql<number>`coalesce((SELECT ${timestamp} FROM ${chainBlocks} ORDER BY ${number} DESC LIMIT 1), 0)`
    const [row] = await this.db
      .select({ ...getTableColumns(chainCursor), readUntil: newest })
      .from(chainCursor)
    return row ?? null
  }
}
