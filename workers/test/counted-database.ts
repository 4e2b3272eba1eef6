import { env } from 'cloudflare:workers'

export interface DatabaseUse {
  roundTrips: number
  statements: number
  rowsRead: number
  rowsWritten: number
}

/** The database of the tests, and counts of its use: give it to a client as its binding. */
export function countedDatabase(): { db: D1Database; use: DatabaseUse } {
  const use: DatabaseUse = { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 }
  const note = <T>(result: D1Result<T>): D1Result<T> => {
    use.statements += 1
    use.rowsRead += result.meta.rows_read
    use.rowsWritten += result.meta.rows_written
    return result
  }
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const all = async <T>() => {
      use.roundTrips += 1
      return note(await original.all<T>())
    }
    const counted = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      all,
      run: all,
      first: async (column?: string) => {
        const [row] = (await all<Record<string, unknown>>()).results
        return row === undefined ? null : column === undefined ? row : row[column]
      },
      // Drizzle reads rows as arrays in the order of the columns; D1 counts them only where it answers objects.
      raw: async () => {
        await all()
        return original.raw()
      },
    } as unknown as D1PreparedStatement
    originals.set(counted, original)
    return counted
  }
  const db: object = {
    prepare: (text: string) => statement(env.DB.prepare(text)),
    batch: async (statements: D1PreparedStatement[]) => {
      use.roundTrips += 1
      return (await env.DB.batch(statements.map((one) => originals.get(one) ?? one))).map(note)
    },
    exec: (text: string) => env.DB.exec(text),
    dump: () => env.DB.dump(),
    withSession: () => ({ ...db, getBookmark: () => null }),
  }
  return { db: db as D1Database, use }
}
