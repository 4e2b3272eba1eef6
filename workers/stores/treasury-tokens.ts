import { sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { epochReceipts, type Token } from './schema/index.ts'

/** Each costs a read. */
const epochsRead = 500

export class TreasuryTokens extends Store {
  /** The tokens in which the newest settled epochs owe the treasury its share, most used first. */
  async used(limit: number): Promise<Token[]> {
    const { token, totals, state, startsAt, projectId, epoch } = epochReceipts
    const rows = await this.db.all<{ token: string }>(sql`
      SELECT token FROM (SELECT ${token} AS token, ${totals} AS totals
        FROM ${epochReceipts} INDEXED BY epoch_receipts_by_state WHERE ${state} = 'settled'
        ORDER BY ${startsAt} DESC, ${projectId} DESC, ${epoch} DESC LIMIT ${epochsRead})
      WHERE totals->>'$.treasury' <> '0' GROUP BY token->>'$.address' ORDER BY count(*) DESC LIMIT ${limit}`)
    return rows.map((row) => JSON.parse(row.token) as Token)
  }
}
