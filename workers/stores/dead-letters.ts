import { and, count, desc, gte, type InferSelectModel, isNull } from 'drizzle-orm'
import { type Database, query, read } from './database.ts'
import { deadLetters } from './schema.ts'

export type DeadLetter = InferSelectModel<typeof deadLetters>

/** Queue messages that failed every attempt. */
export class DeadLetterStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** A letter that is delivered twice is kept once. */
  async keep(letter: Omit<DeadLetter, 'resolvedAt'>): Promise<void> {
    await query(this.#db.insert(deadLetters).values(letter).onConflictDoNothing())
  }

  /** The newest ones nobody has seen to. */
  async unresolved(limit: number): Promise<DeadLetter[]> {
    return read(() =>
      this.#db
        .select()
        .from(deadLetters)
        .where(isNull(deadLetters.resolvedAt))
        .orderBy(desc(deadLetters.diedAt), desc(deadLetters.messageId))
        .limit(limit),
    )
  }

  async countSince(time: number): Promise<number> {
    const [row] = await read(() =>
      this.#db
        .select({ letters: count() })
        .from(deadLetters)
        .where(and(isNull(deadLetters.resolvedAt), gte(deadLetters.diedAt, time))),
    )
    return row?.letters ?? 0
  }
}
