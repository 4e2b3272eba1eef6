import { type SQL, sql } from 'drizzle-orm'
import { batch, type Database, isChanged } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import { projects, underfundedPeriods } from './schema.ts'

/** Which projects are shown as not paying: those with an epoch that exceeds what their vault has free. */
export class ProjectFundingStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Moves a listed project to underfunded or back, notes since when, and wants the registry to be told. Any other status
   * stays.
   *
   * @param now - Network time, which tasks are dated by too.
   */
  async setFunded(projectId: string, isFunded: boolean, now: number): Promise<'moved' | 'stays'> {
    const [from, to] = isFunded ? ['underfunded', 'listed'] : ['listed', 'underfunded']
    const found: SQL = sql`project_id = ${projectId} AND listing_status = ${from}`
    const results = await batch(this.#db, [
      wantStatement(
        { kind: 'set_listing_status', subject: projectId, wanted: { listing_status: to } },
        now,
        sql`SELECT 1 FROM ${projects} WHERE ${found}`,
      ),
      isFunded ? endPeriod(projectId, now, found) : beginPeriod(projectId, now, found),
      sql`UPDATE ${projects} SET listing_status = ${to} WHERE ${found}`,
    ])
    return isChanged(results[2]) ? 'moved' : 'stays'
  }
}

/** One that ended in the same second goes on. */
const beginPeriod = (projectId: string, now: number, found: SQL): SQL => sql`
  INSERT INTO ${underfundedPeriods} (project_id, since) SELECT ${projectId}, ${now} FROM ${projects} WHERE ${found}
  ON CONFLICT DO UPDATE SET until = NULL`

const endPeriod = (projectId: string, now: number, found: SQL): SQL => sql`
  UPDATE ${underfundedPeriods} SET until = ${now} WHERE project_id = ${projectId} AND until IS NULL
    AND EXISTS (SELECT 1 FROM ${projects} WHERE ${found})`
