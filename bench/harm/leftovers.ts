/** What a hub keeps: rows, stored files, Durable Objects, and what its relayer has left to pay with. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { callBatch } from '../../contracts/json-rpc.ts'
import { accounts } from '../../localnet/accounts.ts'
import type { Hub } from '../../localnet/hub.ts'

export interface Kept {
  /** By table. */
  rows: Record<string, number>
  databaseBytes: number
  files: number
  fileBytes: number
  /** By class of Durable Object: those that have a file, and the bytes of these files. */
  objects: Record<string, { count: number; bytes: number }>
  nativeWei: bigint
  relayedActions: number
}

export async function whatIsKept({ miniflare }: Hub, statePath: string, rpcUrl: string): Promise<Kept> {
  const db = await miniflare.getD1Database('DB', 'hub')
  const { results } = await db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'project_search%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name <> 'd1_migrations'",
    )
    .all<{ name: string }>()
  const rows: Record<string, number> = {}
  for (const { name } of results)
    rows[name] = (await db.prepare(`SELECT count(*) AS n FROM ${name}`).first<number>('n')) ?? 0
  const { meta } = await db.prepare('SELECT 1').all()

  const bucket = await miniflare.getR2Bucket('MODULES', 'hub')
  let files = 0
  let fileBytes = 0
  let cursor: string | undefined
  do {
    const page = await bucket.list(cursor === undefined ? {} : { cursor })
    files += page.objects.length
    for (const { size } of page.objects) fileBytes += size
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)

  const [balance] = await callBatch(rpcUrl, [['eth_getBalance', accounts.relayer.address, 'latest']])
  return {
    rows,
    databaseBytes: meta.size_after ?? 0,
    files,
    fileBytes,
    objects: objectFiles(statePath),
    nativeWei: BigInt(balance as string),
    relayedActions: rows.transactions ?? 0,
  }
}

/** Durable Objects have a database file each, in a folder for their class. */
function objectFiles(statePath: string): Kept['objects'] {
  const objects: Kept['objects'] = {}
  for (const entry of readdirSync(statePath, { recursive: true, withFileTypes: true })) {
    const folder = path.basename(entry.parentPath)
    const name = /^hub-(?:hub-)?(\w+)$/.exec(folder)?.[1]
    if (name === undefined || !entry.isFile()) continue
    const { count, bytes } = objects[name] ?? { count: 0, bytes: 0 }
    const size = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
    objects[name] = { count: count + (entry.name.endsWith('.sqlite') ? 1 : 0), bytes: bytes + size }
  }
  return objects
}
