import { desc, isNull, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { deadLetters, rounds } from './schema/index.ts'

export interface HubMetrics {
  databaseBytes: number
  /** Messages that nobody has seen to; no more are counted than {@link lettersMax}. */
  deadLetters: number
  /** Of the newest rounds that are final. */
  finalized: { finalitySecs: number; agreedSecs: number | null }[]
}

const lettersMax = 1_000
/** Enough for a median and the slowest of twenty. */
const roundsMax = 100

/** Figures for those who watch the hub. */
export class HubMetricsStore extends Store {
  async read(): Promise<HubMetrics> {
    const { agreedAt, issuedAt, finalityMs, kind, state } = rounds
    const letters = this.db
      .select({ one: sql`1` })
      .from(deadLetters)
      .where(isNull(deadLetters.resolvedAt))
      .limit(lettersMax)
    const [counted, finalized] = await Promise.all([
      this.db.run(sql`SELECT count(*) AS letters FROM ${letters}`),
      this.db
        .select({ agreedSecs: sql<number | null>`${agreedAt} - ${issuedAt}`, finalityMs })
        .from(rounds)
        .where(sql`${kind} = 'task' AND ${state} = 'finalized'`)
        .orderBy(desc(issuedAt), desc(rounds.roundId))
        .limit(roundsMax),
    ])
    const [row] = counted.results as { letters: number }[]
    return {
      databaseBytes: counted.meta.size_after,
      deadLetters: row?.letters ?? 0,
      finalized: finalized.map(({ finalityMs: ms, agreedSecs }) => ({
        finalitySecs: (ms ?? 0) / 1000,
        agreedSecs,
      })),
    }
  }
}
