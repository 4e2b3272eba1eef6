import { desc, isNull, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { deadLetters, rounds } from './schema/index.ts'

const lettersMax = 1_000
/** Enough for a median and the slowest of twenty. */
const roundsMax = 100

/** Figures for those who watch the hub. */
export class HubMetricsStore extends Store {
  /** Messages that nobody has seen to, of which no more than {@link lettersMax} are counted, and the size of the database. */
  async counts(): Promise<{ deadLetters: number; databaseBytes: number }> {
    const letters = this.db
      .select({ one: sql`1` })
      .from(deadLetters)
      .where(isNull(deadLetters.resolvedAt))
      .limit(lettersMax)
    const { results, meta } = await this.db.run(sql`SELECT count(*) AS letters FROM ${letters}`)
    const [row] = results as { letters: number }[]
    return { deadLetters: row?.letters ?? 0, databaseBytes: meta.size_after }
  }

  /** Times of the newest rounds that are final. */
  async finalized(): Promise<{ finalitySecs: number; agreedSecs: number | null }[]> {
    const { agreedAt, issuedAt, finalityMs, kind, state } = rounds
    const newest = await this.db
      .select({ agreedSecs: sql<number | null>`${agreedAt} - ${issuedAt}`, finalityMs })
      .from(rounds)
      .where(sql`${kind} = 'task' AND ${state} = 'finalized'`)
      .orderBy(desc(issuedAt), desc(rounds.roundId))
      .limit(roundsMax)
    return newest.map(({ finalityMs: ms, agreedSecs }) => ({ finalitySecs: (ms ?? 0) / 1000, agreedSecs }))
  }
}
