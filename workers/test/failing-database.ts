import { env } from 'cloudflare:workers'

interface Fault {
  /** The error message of the database. */
  reason?: string
  /** The statement is carried out, and only its answer is lost. */
  carriedOut?: boolean
  /** The statement is never answered. */
  isSilent?: boolean
}

/**
 * The database of the tests, whose statements fail where `matches` says so, counted from 1 in the order in which they
 * are carried out: give it to a client as its binding. Statements of a batch fail together.
 */
export function failingDatabase(
  matches: (sql: string, statement: number) => boolean,
  { reason = 'D1 DB is overloaded', carriedOut = false, isSilent = false }: Fault = {},
): D1Database {
  let statements = 0
  const answer = async <T>(texts: readonly string[], run: () => Promise<T>): Promise<T> => {
    const failing = texts.filter((sql) => {
      statements += 1
      return matches(sql, statements)
    })
    if (isSilent && failing.length > 0) return new Promise(() => {})
    const result = failing.length === 0 || carriedOut ? await run() : undefined
    if (failing.length > 0) throw new Error(`D1_ERROR: ${reason}: ${failing[0]}`)
    return result as T
  }
  const originals = new WeakMap<D1PreparedStatement, { sql: string; original: D1PreparedStatement }>()
  const statement = (sql: string, original: D1PreparedStatement): D1PreparedStatement => {
    const asked =
      <T>(method: (...values: never[]) => Promise<T>) =>
      (...values: never[]) =>
        answer([sql], () => method.apply(original, values))
    const failing = {
      bind: (...values: unknown[]) => statement(sql, original.bind(...values)),
      all: asked(original.all),
      raw: asked(original.raw),
      run: asked(original.run),
      first: asked(original.first),
    } as unknown as D1PreparedStatement
    originals.set(failing, { sql, original })
    return failing
  }
  const db: object = {
    prepare: (sql: string) => statement(sql, env.DB.prepare(sql)),
    batch: (failing: D1PreparedStatement[]) => {
      const known = failing.flatMap((one) => originals.get(one) ?? [])
      return answer(
        known.map(({ sql }) => sql),
        () => env.DB.batch(known.map(({ original }) => original)),
      )
    },
    withSession: () => ({ ...db, getBookmark: () => null }),
  }
  return db as D1Database
}
