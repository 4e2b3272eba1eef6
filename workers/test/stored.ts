import { env } from 'cloudflare:workers'

/** Everything that is stored: each row of each table, and the key of each object in the bucket. */
export async function readStored(): Promise<Record<string, unknown>> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name",
  ).all<{ name: string }>()
  const rows = await env.DB.batch(tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)))
  const { objects } = await env.MODULES.list()
  return {
    ...Object.fromEntries(tables.map(({ name }, i) => [name, rows[i]?.results])),
    objects: objects.map(({ key }) => key),
  }
}
