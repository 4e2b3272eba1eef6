import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import type { RoundEnd } from './round-effects.ts'
import { type LeaseRow, type RoundRow, rounds } from './schema/index.ts'

const { leaseKeys: _, ...columns } = getTableColumns(rounds)
/** The columns of a round that readers see. */
export const roundColumns = columns

export interface PublishedRound {
  round: RoundRow
  /** The leases of all members that were asked so far. */
  leases: readonly LeaseRow[]
}

/** A round as it is written: one that is over with what follows from its end. */
export interface WrittenRound extends PublishedRound {
  end: RoundEnd | null
}

/** Holds while a round is not over, in a statement that comes before the one that ends it. */
export const isRoundOpen = (roundId: string | SQL): SQL => sql`NOT EXISTS (SELECT 1 FROM ${rounds}
  WHERE ${rounds.roundId} = ${roundId} AND ${rounds.state} IN ('finalized', 'failed'))`

/** The rounds that lists show and figures count: a row for each round, and one for each member that was asked. */
export class RoundStore extends Store {
  async find(roundId: string): Promise<RoundRow | null> {
    return (await this.db.select(roundColumns).from(rounds).where(eq(rounds.roundId, roundId)).get()) ?? null
  }
}
