import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keptBuild } from './kept-build.ts'

const migrationsFolder = 'd1-migrations'

/** The files that decide how the hub is started. */
const sources = [
  'wrangler.toml',
  migrationsFolder,
  'node_modules/wrangler/package.json',
  'scripts/wrangler-hub.ts',
]

/** The last block that the hub has read. */
export interface Tip {
  readonly block_number: number
  readonly block_hash: string
}

/** Thrown when the database has migrations that do not exist here: another version of the hub wrote it. Nothing is changed. */
export class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError'
}

/**
 * Brings the database of a hub up to date, in the folder of its state. Returns the {@link Tip}; null if the hub has read
 * nothing.
 *
 * @throws {@link OtherVersionError}
 */
export async function migrateDatabase(statePath: string): Promise<Tip | null> {
  const database = path.join(statePath, 'd1')
  if (existsSync(database)) {
    const { migrations } = await readWranglerHub()
    const current = readCurrent(statePath, migrations)
    return current === null ? migrateIn(statePath) : current.tip
  }
  const empty = await keptBuild({
    name: 'hub-database',
    sources: [...sources, 'node_modules/miniflare/package.json', 'node_modules/workerd/package.json'],
    buildInto: async (unfinished) => {
      await migrateIn(unfinished)
      for (const name of readdirSync(unfinished))
        if (name !== 'd1') rmSync(path.join(unfinished, name), { recursive: true })
    },
  })
  const copy = `${database}-unfinished`
  cpSync(path.join(empty, 'd1'), copy, { recursive: true, filter: (name) => !name.endsWith('-shm') })
  renameSync(copy, database)
  return null
}

/** The file of the hub's database, in the folder of its state; null if there is not exactly one. */
export function databaseFile(statePath: string): string | null {
  const folder = path.join(statePath, 'd1')
  if (!existsSync(folder)) return null
  const names = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (name) => name.endsWith('.sqlite') && path.basename(name) !== 'metadata.sqlite',
  )
  return names.length === 1 ? path.join(folder, names[0]!) : null
}

/**
 * Reads a database that has exactly the migrations of this version, as most have: to start workerd only to find that out takes
 * as long as the start of the hub. Returns null for any other database, also for one that cannot be read.
 */
function readCurrent(statePath: string, migrations: readonly Migration[]): { tip: Tip | null } | null {
  const file = databaseFile(statePath)
  if (file === null) return null
  try {
    using database = new DatabaseSync(file, { readOnly: true })
    const applied = new Set(
      database
        .prepare('SELECT name FROM d1_migrations')
        .all()
        .map(({ name }) => name),
    )
    if (applied.size !== migrations.length || !migrations.every(({ name }) => applied.has(name))) return null
    return { tip: tipOf(database) }
  } catch {
    return null
  }
}

const tipOf = (database: DatabaseSync): Tip | null =>
  (database.prepare('SELECT block_number, block_hash FROM chain_cursor').get() as Tip | undefined) ?? null

/** The {@link Tip} of a hub that runs over this state, as of now: its status may be some seconds old. Null also before it has its tables. */
export function readTip(statePath: string): Tip | null {
  const file = databaseFile(statePath)
  if (file === null) return null
  // The hub writes meanwhile.
  using database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'chain_cursor'").get()
  return table === undefined ? null : tipOf(database)
}

/** Has workerd run over the state with nothing but the migrator. */
async function migrateIn(statePath: string): Promise<Tip | null> {
  const { convertV4MiniflareOptions, Miniflare } = await import('./miniflare.ts')
  const {
    workerOptions: { compatibilityDate, d1Databases },
    migrations,
  } = await readWranglerHub()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      resourcePersistencePath: path.resolve(statePath),
      name: 'migrator',
      compatibilityDate: compatibilityDate as string,
      modules: [{ type: 'ESModule', path: 'migrator.mjs', contents: migrator(migrations) }],
      d1Databases: d1Databases as Record<string, string>,
    }),
  )
  try {
    return await readMigrated(await miniflare.dispatchFetch('http://migrator'))
  } finally {
    await miniflare.dispose()
  }
}

/**
 * The text of a Worker that brings `DB` up to date when it is called; {@link readMigrated} reads its answer. It records
 * migrations as `wrangler d1 migrations` does. One call from outside takes a tenth of the time that one for each statement
 * would.
 */
const migrator = (migrations: readonly Migration[]): string => `
const migrations = ${JSON.stringify(migrations)}
export default {
  async fetch(request, { DB }) {
    await DB.exec('CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)')
    const { results } = await DB.prepare('SELECT name FROM d1_migrations').all()
    const applied = new Set(results.map(({ name }) => name))
    const unknown = [...applied.difference(new Set(migrations.map(({ name }) => name)))]
    if (unknown.length > 0) return Response.json(unknown, { status: 409 })
    for (const { name, statements } of migrations)
      if (!applied.has(name))
        await DB.batch([
          ...statements.map((statement) => DB.prepare(statement)),
          DB.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
        ])
    return Response.json(await DB.prepare('SELECT block_number, block_hash FROM chain_cursor').first())
  },
}`

async function readMigrated(answer: Pick<Response, 'ok' | 'status' | 'json' | 'text'>): Promise<Tip | null> {
  if (answer.status === 409) {
    const unknown = (await answer.json()) as string[]
    throw new OtherVersionError(
      `Another version of the hub wrote the database: it has migrations that do not exist here, such as ${unknown[0]}.`,
    )
  }
  if (!answer.ok) throw new Error(`The migrations could not be applied: ${await answer.text()}`)
  return (await answer.json()) as Tip | null
}

/** The settings with which the hub's Worker is started. */
interface WranglerHub {
  /** The settings of wrangler.toml, without those of `.env`, which are for `wrangler dev`. */
  readonly workerOptions: Readonly<Record<string, unknown>>
  readonly migrations: readonly Migration[]
}

interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** Has wrangler read the hub's files, once for the same files: to load wrangler takes longer than to start the hub. */
export async function readWranglerHub(): Promise<WranglerHub> {
  const folder = await keptBuild({
    name: 'wrangler-hub',
    sources,
    buildInto: async (unfinished) => {
      writeFileSync(path.join(unfinished, 'hub.json'), JSON.stringify(await askWrangler()))
    },
  })
  const hub = JSON.parse(readFileSync(path.join(folder, 'hub.json'), 'utf8')) as WranglerHub
  const assets = hub.workerOptions.assets as { directory: string }
  return {
    ...hub,
    workerOptions: { ...hub.workerOptions, assets: { ...assets, directory: inRoot(assets.directory) } },
  }
}

const inRoot = (name: string): string => path.join(import.meta.dirname, '..', name)

async function askWrangler(): Promise<WranglerHub> {
  process.env.CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV = 'false'
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig, unstable_splitSqlQuery } = await import(
    'wrangler'
  )
  const config = unstable_readConfig({ config: inRoot('wrangler.toml') })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  const assets = workerOptions.assets as { directory: string }
  const migrations = readdirSync(inRoot(migrationsFolder))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      name,
      statements: unstable_splitSqlQuery(readFileSync(path.join(inRoot(migrationsFolder), name), 'utf8')),
    }))
  // The folder of this repository may be moved with the kept build in it.
  const directory = path.relative(inRoot('.'), assets.directory)
  // Wrangler adds secrets of `.dev.vars`, which are not to be kept.
  const { vars: bindings } = config
  return { workerOptions: { ...workerOptions, bindings, assets: { ...assets, directory } }, migrations }
}
