import type { SQL } from 'drizzle-orm'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { inTime } from '../deadline.ts'
import { ApiError, unavailable } from '../errors.ts'
import { scopedToRequests } from './request-database.ts'

export type Database = DrizzleD1Database & { $client: D1Database }

export const openDatabase = (d1: D1Database): Database => drizzle(scopedToRequests(d1))

/** The database ends statements at 30 s by itself; nobody waits that long for a page. */
const answerMsMax = 10_000

/** Awaits a query; a database that fails or is overloaded answers 503 and never shows SQL. */
export async function query<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await inTime(statement, answerMsMax)
  } catch (error) {
    if (lacksMigrations(error)) throw unmigrated(error)
    throw error instanceof ApiError || isDefect(error) ? error : unavailable('The database', error)
  }
}

/** Whether the statement itself is wrong, as when a migration is missing: trying again does not help. */
function isDefect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE)|D1_TYPE_ERROR/.test(error.message) || isDefect(error.cause)
}

const unmigrated = (cause: unknown): ApiError =>
  new ApiError(
    'internal',
    'The database of this hub lacks migrations. `npx wrangler d1 migrations apply DB` applies them, with --local or --remote.',
    { cause },
  )

/** Whether a statement failed because the database lacks a table or a column of this version. */
export function lacksMigrations(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /no such (table|column)|has no column named/.test(error.message) || lacksMigrations(error.cause)
}

/** Like {@link query} for a read, which may be repeated: passing faults of the database are normal. */
export const read = <T>(statement: () => PromiseLike<T>): Promise<T> => query(tryTwice(statement))

async function tryTwice<T>(statement: () => PromiseLike<T>): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    // A caller who is refused is not asked for again.
    if (error instanceof ApiError || isDefect(error)) throw error
    return statement()
  }
}

/** Rows of a statement whose text is known beforehand, as the database has them. */
export async function readRows<Row>(
  { $client }: Database,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { results } = await read(() =>
    $client
      .prepare(text)
      // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
      .bind(...values)
      .all<Row>(),
  )
  return results
}

/**
 * Whether a statement changed anything. What its triggers changed counts too, so that the number says no more than this
 * where a table has some.
 */
export const isChanged = (result: D1Result | undefined): boolean => (result?.meta.changes ?? 0) > 0

const dialect = new SQLiteAsyncDialect()

/** Runs statements as one transaction: all of them or none. The driver's own batch takes no statement of raw SQL. */
export async function batch({ $client }: Database, statements: readonly SQL[]): Promise<D1Result[]> {
  return query(
    $client.batch(
      statements.map((statement) => {
        const { sql, params } = dialect.sqlToQuery(statement)
        // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
        return $client.prepare(sql).bind(...params)
      }),
    ),
  )
}
