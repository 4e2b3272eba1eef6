import { env } from 'cloudflare:workers'

/** Deletes the rows of tables, for tests that meet the same record several times. */
export async function emptyTables(...names: string[]): Promise<void> {
  await env.DB.batch(names.map((name) => env.DB.prepare(`DELETE FROM ${name}`)))
}

/** Runs a statement beside the hub. */
export const runSql = (text: string, ...values: unknown[]) =>
  env.DB.prepare(text)
    .bind(...values)
    .run()
