import type { SQLWrapper } from 'drizzle-orm'
import { type D1PreparedQuery, DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1'
import { inTime } from '../deadline.ts'
import { ApiError, unavailable } from '../errors.ts'
import { onlyReads, scopedToRequests } from './request-database.ts'
import { dialect, ReadyStatement } from './statements.ts'

export type Database = DrizzleD1Database & { $client: D1Database }

export function openDatabase(d1: D1Database): Database {
  const $client = scopedToRequests(d1)
  const session = new GuardedSession($client, dialect, undefined)
  return Object.assign(new DrizzleD1Database('async', dialect, session, undefined), { $client })
}

/**
 * Reads and writes some of the tables. The query builder makes every statement that it can express. The others (virtual tables,
 * recursive reads, guarded INSERT … SELECT, lists as JSON) are `sql` templates over the tables and columns of `schema/`, so that a column
 * that is renamed or missing is a type error. Unless a list says otherwise, it has `limit` rows after `after`, newest first.
 */
export class Store {
  protected readonly db: Database
  constructor(db: Database) {
    this.db = db
  }
}

type Nothing = Record<string, never>
type CarryOut = <T>(text: string, values: unknown[], run: () => Promise<T>) => Promise<T>

/** Carries out the statements of the query builder {@link guarded}. */
class GuardedSession extends SQLiteD1Session<Nothing, Nothing> {
  override prepareQuery(
    ...query: Parameters<SQLiteD1Session<Nothing, Nothing>['prepareQuery']>
  ): D1PreparedQuery {
    // biome-ignore lint/plugin/noSpreadArguments: The parts of one statement.
    const prepared = super.prepareQuery(...query) as D1PreparedQuery & { queryWithCache: CarryOut }
    const carryOut = prepared.queryWithCache.bind(prepared)
    prepared.queryWithCache = (text, values, run) => guarded(text, () => carryOut(text, values, run))
    return prepared
  }
}

/** The database ends statements at 30 s by itself; nobody waits that long for a page. */
const answerMsMax = 10_000

/**
 * Awaits a statement. A statement that only reads is tried twice: passing faults of the database are normal. If the database
 * fails or is overloaded, the answer is 503 and never shows SQL.
 */
async function guarded<T>(text: string, run: () => Promise<T>): Promise<T> {
  try {
    return await inTime(onlyReads(text) ? tryTwice(run) : run(), answerMsMax)
  } catch (error) {
    // A backup takes it away while the database is exported, and makes it again.
    if (says(error, /no such table: project_search/)) throw unavailable('The search of projects', error)
    if (lacksMigrations(error)) throw unmigrated(error)
    throw error instanceof ApiError || isDefect(error) ? error : unavailable('The database', error)
  }
}

/** Whether an error or one of its causes says this. */
const says = (error: unknown, words: RegExp): boolean =>
  error instanceof Error && (words.test(error.message) || says(error.cause, words))

/** Whether the statement itself is wrong, as when a migration is missing: trying again does not help. */
const isDefect = (error: unknown): boolean =>
  says(error, /SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG)|D1_TYPE_ERROR/)

const unmigrated = (cause: unknown): ApiError =>
  new ApiError(
    'internal',
    'The database of this hub lacks migrations. `npx wrangler d1 migrations apply DB` applies them, with --local or --remote.',
    { cause },
  )

/** Whether a statement failed because the database lacks a table or a column of this version. */
export const lacksMigrations = (error: unknown): boolean =>
  says(error, /no such (table|column)|has no column named/)

async function tryTwice<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    // A caller who is refused is not asked for again.
    if (error instanceof ApiError || isDefect(error)) throw error
    return run()
  }
}

/** Rows of a statement whose text is known beforehand, as the database has them. */
export async function readRows<Row>(
  { $client }: Database,
  { text, params }: Pick<ReadyStatement, 'text' | 'params'>,
): Promise<Row[]> {
  // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
  const statement = $client.prepare(text).bind(...params)
  const { results } = await guarded(text, () => statement.all<Row>())
  return results
}

/** Whether a statement changed anything. Changes by triggers count too, so for a table with triggers the number says no more than this. */
export const isChanged = (result: D1Result | undefined): boolean => (result?.meta.changes ?? 0) > 0

/** Runs statements as one transaction: all of them or none. The driver's own batch takes no statement of raw SQL. */
export const batch = (
  { $client }: Database,
  statements: readonly (SQLWrapper | ReadyStatement)[],
): Promise<D1Result[]> =>
  guarded('', () =>
    $client.batch(
      statements.map((statement) => {
        const { text, params } =
          statement instanceof ReadyStatement ? statement : ReadyStatement.of(statement)
        // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
        return $client.prepare(text).bind(...params)
      }),
    ),
  )
