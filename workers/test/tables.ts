import { env } from 'cloudflare:workers'

/** Deletes the rows of tables, for tests that meet the same record several times. */
export async function emptyTables(...names: string[]): Promise<void> {
  await env.DB.batch(names.map((name) => env.DB.prepare(`DELETE FROM ${name}`)))
}

/** Runs a statement. */
export const runSql = (text: string, ...values: unknown[]) =>
  env.DB.prepare(text)
    .bind(...values)
    .run()

/** Gives a project a listing status, without the way there. */
export const setListingStatus = (projectId: string, status: string) =>
  runSql('UPDATE projects SET listing_status = ? WHERE project_id = ?', status, projectId)
