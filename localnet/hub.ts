import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'
import { callBatch } from '../contracts/json-rpc.ts'
import type { HubBundle } from './bundle.ts'
import { behindFront } from './front.ts'

export interface HubOptions {
  /** The bundled hub, from `bundleHub`. */
  script: HubBundle
  /** 0 takes a free one. */
  port: number
  /** Vars and secrets that differ from wrangler.toml. */
  vars: Record<string, string>
  /** Folder of databases and objects; left out, everything is forgotten at the end. */
  statePath?: string
  /**
   * Whether callers say in `CF-Connecting-IP` which address they have, as tests and measurements with many of them need.
   * Left out, they all have this machine's, whatever they say.
   */
  callersNameAddress?: boolean
  /** Equal Workers over the same storage, one port each; 1 when left out. */
  isolates?: number
  /** Further hubs in the same workerd, by name, each with vars and Durable Objects of its own over the same database. */
  extraHubs?: Record<string, Record<string, string>>
  /**
   * Workers that reach the hub's database and its Durable Objects directly, each the text of one module; the objects of
   * the extra hubs under `<name>_<binding>`.
   */
  extraWorkers?: Record<string, string>
}

export interface Hub {
  /** One per isolate. */
  urls: URL[]
  miniflare: Miniflare
  /** Whether the chain at `rpcUrl` has the block that this hub read last; also true when it has read none. */
  isOnChain: (rpcUrl: string) => Promise<boolean>
  stop: () => Promise<void>
}

const migrationsFolder = 'd1-migrations'

/** Starts the hub in workerd with the bindings of wrangler.toml, its database migrated. */
export async function startHub({
  script,
  port,
  vars,
  statePath,
  callersNameAddress = false,
  isolates = 1,
  extraHubs = {},
  extraWorkers = {},
}: HubOptions): Promise<Hub> {
  const { assets, ...workerOptions } = unstable_getMiniflareWorkerOptions('wrangler.toml').workerOptions
  const objects = workerOptions.durableObjects as DurableObjects
  const bindings = { ...(workerOptions.bindings as Record<string, string>), ...vars }
  const modules = [...(callersNameAddress ? script : behindFront(script))]
  const names = Array.from({ length: isolates }, (_, index) => (index === 0 ? 'hub' : `hub-${index + 1}`))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      log: new Log(LogLevel.WARN),
      ...(statePath !== undefined && { resourcePersistencePath: path.resolve(statePath) }),
      workers: [
        ...names.map((name) => ({
          ...workerOptions,
          serviceBindings: { ASSETS: 'assets' },
          name,
          modules,
          bindings,
          // Further isolates use the objects of the first, as two data centres would, and leave its queues to it.
          ...(name !== 'hub' && {
            queueConsumers: [],
            durableObjects: objectsOf('hub', objects),
          }),
          unsafeDirectSockets: [{ host: '127.0.0.1', port: name === 'hub' ? port : 0 }],
        })),
        ...Object.entries(extraHubs).map(([name, own]) => ({
          ...workerOptions,
          serviceBindings: { ASSETS: 'assets' },
          name,
          modules,
          bindings: { ...bindings, ...own },
          queueConsumers: [],
        })),
        // In front of a Worker with assets Miniflare puts another one, which costs as much as the hub does.
        {
          name: 'assets',
          compatibilityDate: workerOptions.compatibilityDate as string,
          modules: [{ type: 'ESModule' as const, path: 'assets.mjs', contents: assetsWorker }],
          assets: assets as Assets,
        },
        ...Object.entries(extraWorkers).map(([name, contents]) => ({
          name,
          compatibilityDate: workerOptions.compatibilityDate as string,
          modules: [{ type: 'ESModule' as const, path: `${name}.mjs`, contents }],
          d1Databases: workerOptions.d1Databases as Databases,
          durableObjects: Object.assign(
            objectsOf('hub', objects),
            ...Object.keys(extraHubs).map((other) => objectsOf(other, objects, `${other}_`)),
          ),
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        })),
      ],
    }),
  )
  try {
    await miniflare.ready
    await migrate(await miniflare.getD1Database('DB', 'hub'))
    const urls = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)))
    return {
      urls,
      miniflare,
      isOnChain: async (rpcUrl) => hasBlock(rpcUrl, await readTip(miniflare)),
      stop: () => miniflare.dispose(),
    }
  } catch (error) {
    await miniflare.dispose()
    throw error
  }
}

const assetsWorker = 'export default { fetch: (request, env) => env.ASSETS.fetch(request) }'

type Assets = { directory: string; binding: string }
type DurableObjects = Record<string, { className: string }>
type Databases = Record<string, string>

/** The objects of the Worker `scriptName`, bound under their own names after `prefix`. */
const objectsOf = (scriptName: string, objects: DurableObjects, prefix = '') =>
  Object.fromEntries(
    Object.entries(objects).map(([binding, { className }]) => [
      `${prefix}${binding}`,
      { className, scriptName, useSQLite: true },
    ]),
  )

interface Tip {
  block_number: number
  block_hash: string
}

async function readTip(miniflare: Miniflare): Promise<Tip | null> {
  const db = await miniflare.getD1Database('DB', 'hub')
  return db.prepare('SELECT block_number, block_hash FROM chain_cursor').first<Tip>()
}

async function hasBlock(rpcUrl: string, tip: Tip | null): Promise<boolean> {
  if (tip === null) return true
  const [block] = await callBatch(rpcUrl, [
    ['eth_getBlockByNumber', `0x${tip.block_number.toString(16)}`, false],
  ])
  return (block as { hash: string } | null)?.hash === tip.block_hash
}

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** Applies the migrations that are missing, and records them as `wrangler d1 migrations` does. */
async function migrate(db: Database): Promise<void> {
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
