import { env } from 'cloudflare:workers'

/** Deletes the rows of tables, for tests that meet the same record several times. */
export async function emptyTables(...names: string[]): Promise<void> {
  await env.DB.batch(names.map((name) => env.DB.prepare(`DELETE FROM ${name}`)))
}
