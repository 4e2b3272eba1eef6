import type { Env } from './env.ts'

/**
 * Counts what one run asks the database, each statement of a batch too. D1 answers an invocation 1,000 queries and refuses every further
 * one, so work that could be much looks here before it goes on.
 */
export class AskedQueries {
  /** The bindings whose use is counted. */
  readonly env: Env
  #count = 0

  constructor(env: Env) {
    const { DB } = env
    const prepare = (sql: string) => {
      this.#count += 1
      return DB.prepare(sql)
    }
    const batch = <T>(statements: D1PreparedStatement[]) => DB.batch<T>(statements)
    this.env = { ...env, DB: { prepare, batch } as D1Database }
  }

  /** @returns Whether fewer queries than `most` were asked. */
  fewerThan(most: number): () => boolean {
    return () => this.#count < most
  }
}
