import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { unstable_splitSqlQuery } from 'wrangler'
import { callBatch } from '../contracts/json-rpc.ts'

export const migrationsFolder = 'd1-migrations'

/** The last block that the hub has read. */
export interface Tip {
  readonly block_number: number
  readonly block_hash: string
}

/**
 * The text of a Worker that brings `DB` up to date when it is called, and answers the {@link Tip} of the hub, null when it
 * has read nothing. It records migrations as `wrangler d1 migrations` does. One call from outside takes a tenth of the time
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

/** Whether the chain at `rpcUrl` has a block. */
export async function isOnChain(tip: Tip, rpcUrl: string): Promise<boolean> {
  const [block] = await callBatch(rpcUrl, [
    ['eth_getBlockByNumber', `0x${tip.block_number.toString(16)}`, false],
  ])
  return (block as { hash: string } | null)?.hash === tip.block_hash
}
