import { eq, lte, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { roundOffences } from './schema/index.ts'

/** Between attempts. */
const pauseSecs = { first: 60, last: 3_600 }

/** Rounds whose offences are still to be recorded. The batch that ends a round puts it here. */
export class RoundOffenceStore extends Store {
  /** The rounds that are due by now, longest due first. */
  async due(now: number, limit: number): Promise<string[]> {
    const rows = await this.db
      .select({ roundId: roundOffences.roundId })
      .from(roundOffences)
      .where(lte(roundOffences.nextAttemptAt, now))
      .orderBy(roundOffences.nextAttemptAt)
      .limit(limit)
    return rows.map(({ roundId }) => roundId)
  }

  /** Notes an attempt; the next one comes after a pause that doubles each time. @returns Whether anything is to be recorded. */
  async begin(roundId: string, now: number): Promise<boolean> {
    const rows = await this.db
      .update(roundOffences)
      .set({
        attempts: sql`${roundOffences.attempts} + 1`,
        nextAttemptAt: sql`${now} + min(${pauseSecs.last}, ${sql.raw(String(pauseSecs.first))} << min(${roundOffences.attempts}, 10))`,
      })
      .where(eq(roundOffences.roundId, roundId))
      .returning({ roundId: roundOffences.roundId })
    return rows.length > 0
  }

  async finish(roundId: string): Promise<void> {
    await this.db.delete(roundOffences).where(eq(roundOffences.roundId, roundId))
  }
}
