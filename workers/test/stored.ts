import { env } from 'cloudflare:workers'
import { rowsOf } from './tables.ts'

/** Everything that is stored: each row of each table, and the key of each object in the bucket. */
export async function readStored(): Promise<Record<string, unknown>> {
  const tables = await rowsOf<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name",
  )
  const rows = await env.DB.batch(tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)))
  const { objects } = await env.MODULES.list()
  return {
    ...Object.fromEntries(tables.map(({ name }, i) => [name, rows[i]?.results])),
    objects: objects.map(({ key }) => key),
  }
}
