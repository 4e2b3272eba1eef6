import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Miniflare } from 'miniflare'
import { unstable_splitSqlQuery } from 'wrangler'
import { callBatch } from '../contracts/json-rpc.ts'

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

const migrationsFolder = 'd1-migrations'

/** Applies the migrations that are missing, and records them as `wrangler d1 migrations` does. */
export async function migrate(db: Database): Promise<void> {
  await db.exec(
    'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
  )
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const files = readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql'))
  for (const name of files.sort()) {
    if (applied.has(name)) continue
    const statements = unstable_splitSqlQuery(readFileSync(path.join(migrationsFolder, name), 'utf8'))
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
  }
}

interface Tip {
  block_number: number
  block_hash: string
}

/** Whether the chain at `rpcUrl` has the block that the hub read last; also true when it has read none. */
export async function isOnChain(db: Database, rpcUrl: string): Promise<boolean> {
  const tip = await db.prepare('SELECT block_number, block_hash FROM chain_cursor').first<Tip>()
  if (tip === null) return true
  const [block] = await callBatch(rpcUrl, [
    ['eth_getBlockByNumber', `0x${tip.block_number.toString(16)}`, false],
  ])
  return (block as { hash: string } | null)?.hash === tip.block_hash
}
