import { type SQL, sql } from 'drizzle-orm'
import { batch, isChanged, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import { projects } from './schema/index.ts'

/** Which projects are shown as not paying: those with an epoch that exceeds what their vault has free. */
export class ProjectFundingStore extends Store {
  /**
   * Moves a listed project to underfunded or back, and wants the registry to be told. Any other status stays.
   *
   * @param now - Network time.
   */
  async setFunded(projectId: string, isFunded: boolean, now: number): Promise<'moved' | 'stays'> {
    const [from, to] = isFunded ? ['underfunded', 'listed'] : ['listed', 'underfunded']
    const found: SQL = sql`project_id = ${projectId} AND listing_status = ${from}`
    const results = await batch(this.db, [
      wantStatement(
        { kind: 'set_listing_status', subject: projectId, wanted: { listing_status: to } },
        now,
        sql`SELECT 1 FROM ${projects} WHERE ${found}`,
      ),
      sql`UPDATE ${projects} SET listing_status = ${to} WHERE ${found}`,
    ])
    return isChanged(results[1]) ? 'moved' : 'stays'
  }
}
