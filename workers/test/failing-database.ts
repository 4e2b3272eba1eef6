import { env } from 'cloudflare:workers'

/**
 * The database of the tests, whose statements fail where `matches` says so, counted from 1 in the order in which they
 * are carried out: give it to a client as its binding.
 */
export function failingDatabase(
  matches: (sql: string, statement: number) => boolean,
  reason = 'D1 DB is overloaded',
): D1Database {
  let statements = 0
  const requireWorking = (sql: string) => {
    statements += 1
    if (matches(sql, statements)) throw new Error(`D1_ERROR: ${reason}: ${sql}`)
  }
  const originals = new WeakMap<D1PreparedStatement, { sql: string; original: D1PreparedStatement }>()
  const statement = (sql: string, original: D1PreparedStatement): D1PreparedStatement => {
    const carriedOut =
      <T>(method: (...values: never[]) => Promise<T>) =>
      async (...values: never[]) => {
        requireWorking(sql)
        return method.apply(original, values)
      }
    const failing = {
      bind: (...values: unknown[]) => statement(sql, original.bind(...values)),
      all: carriedOut(original.all),
      raw: carriedOut(original.raw),
      run: carriedOut(original.run),
      first: carriedOut(original.first),
    } as unknown as D1PreparedStatement
    originals.set(failing, { sql, original })
    return failing
  }
  const db: object = {
    prepare: (sql: string) => statement(sql, env.DB.prepare(sql)),
    batch: async (failing: D1PreparedStatement[]) => {
      const known = failing.flatMap((one) => originals.get(one) ?? [])
      for (const { sql } of known) requireWorking(sql)
      return env.DB.batch(known.map(({ original }) => original))
    },
    withSession: () => ({ ...db, getBookmark: () => null }),
  }
  return db as D1Database
}
