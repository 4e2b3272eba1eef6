import { and, eq, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { isRoundOpen } from './rounds.ts'
import { directRounds, rounds } from './schema/index.ts'
import { insertFrom, isOneOf } from './statements.ts'

/** How long, how many and how much direct rounds are kept. */
export interface DirectRetention {
  seconds: number
  rounds: number
  bytes: number
}

/** Counts a direct round among those that are kept; before the statement that ends it. */
export const keptDirectRound = (roundId: string, endedAt: number, bytes: number) =>
  insertFrom(directRounds, { roundId, endedAt, bytes }, sql`WHERE ${isRoundOpen(roundId)}`)

/** Direct rounds that are kept, by when they ended. */
export class DirectRoundStore extends Store {
  /** `limit` of those that are more than may be kept. @param now - In network time. */
  async surplus({ seconds, rounds: most, bytes }: DirectRetention, now: number, limit: number) {
    const found = await this.db.all<{ roundId: string }>(sql`
        SELECT round_id AS roundId FROM (
          SELECT round_id, ended_at, row_number() OVER newest AS place, sum(bytes) OVER newest AS kept
          FROM ${directRounds} WINDOW newest AS (ORDER BY ended_at DESC, round_id DESC ROWS UNBOUNDED PRECEDING))
        WHERE ended_at < ${now - seconds} OR place > ${most} OR kept > ${bytes}
        ORDER BY ended_at, round_id LIMIT ${limit}`)
    return found.map(({ roundId }) => roundId)
  }

  async remove(roundIds: readonly string[]): Promise<void> {
    await batch(this.db, [
      this.db.delete(rounds).where(and(isOneOf(rounds.roundId, roundIds), eq(rounds.kind, 'exec'))),
      this.db.delete(directRounds).where(isOneOf(directRounds.roundId, roundIds)),
    ])
  }
}
