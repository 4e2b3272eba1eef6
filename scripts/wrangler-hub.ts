import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'

export const migrationsFolder = 'd1-migrations'

/**
 * The text of a Worker that brings `DB` up to date when it is called, and answers the last block that
 * the hub has read, null when it has read nothing. It records migrations as `wrangler d1 migrations` does. One call from outside takes a tenth of the time
 * that one for each statement would.
 */
export const migrator = (): string => `
const migrations = ${JSON.stringify(readMigrations())}
export default {
  async fetch(request, { DB }) {
    await DB.exec('CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)')
    const { results } = await DB.prepare('SELECT name FROM d1_migrations').all()
    const applied = new Set(results.map(({ name }) => name))
    for (const { name, statements } of migrations)
      if (!applied.has(name))
        await DB.batch([
          ...statements.map((statement) => DB.prepare(statement)),
          DB.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
        ])
    return Response.json(await DB.prepare('SELECT block_number, block_hash FROM chain_cursor').first())
  },
}`

const readMigrations = () =>
  readdirSync(migrationsFolder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      name,
      statements: unstable_splitSqlQuery(readFileSync(path.join(migrationsFolder, name), 'utf8')),
    }))

/** What wrangler.toml says, and nothing of the settings in `.env`, which are those of `wrangler dev`. */
export function readWranglerOptions() {
  process.env.CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV = 'false'
  return unstable_getMiniflareWorkerOptions('wrangler.toml')
}
