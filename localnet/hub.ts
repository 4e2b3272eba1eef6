import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Miniflare as Runtime, V4WorkerOptions } from 'miniflare'
import type { HubBundle } from '../scripts/bundle.ts'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from '../scripts/miniflare.ts'
import { migrateDatabase, readWranglerHub } from '../scripts/wrangler-hub.ts'
import { isOnChain } from './database.ts'
import { behindFront } from './front.ts'
import { limitHeaps, onPlatform, type PlatformOptions, platformFlags } from './platform.ts'

export interface HubOptions {
  /** The bundled hub, from `bundleHub`. */
  script: HubBundle
  /** 0 takes a free one. */
  port: number
  /** Vars and secrets that differ from wrangler.toml. */
  vars: Record<string, string>
  /** Folder of databases and objects; left out, everything is forgotten at the end. */
  statePath?: string
  /** The chain that the data in `statePath` has to be about; left out, it is not compared. */
  chainUrl?: string
  /**
   * Whether callers say in `CF-Connecting-IP` which address they have, as tests and measurements with many of them need.
   * Left out, they all have this machine's, whatever they say.
   */
  callersNameAddress?: boolean
  /** Whether it answers the files of `public/`; it does unless this is false, which starts in three quarters of the time. */
  files?: boolean
  /** Equal Workers over the same storage, one port each; 1 when left out. */
  isolates?: number
  /** Further hubs in the same workerd, by name, each with vars and Durable Objects of its own over the same database. */
  extraHubs?: Record<string, Record<string, string>>
  /**
   * Workers that reach the hub (`HUB`), its database and its Durable Objects directly, each the text of one module; the
   * objects of the extra hubs under `<name>_<binding>`.
   */
  extraWorkers?: Record<string, string>
  /** Runs it under the limits of Cloudflare, which workerd does not have by itself. */
  platform?: PlatformOptions
  /** Port of V8's inspector, for measurements; 0 takes a free port. Without it, the inspector is off. */
  inspectorPort?: number
}

export interface Hub {
  /** One per isolate. */
  urls: URL[]
  miniflare: Runtime
  /** Does what the hub does on its schedule. @throws when that fails. */
  runSchedule: () => Promise<void>
  /** Does what a deployment does on a `platform`: resets every object, which closes all sockets. */
  deploy: () => Promise<void>
  stop: () => Promise<void>
}

/** Thrown when the hub's data is about blocks that its chain does not have. */
export class LostChainError extends Error {
  override readonly name = 'LostChainError'
}

/**
 * Starts the hub in workerd with the bindings of wrangler.toml. It takes no connection before its database is migrated.
 *
 * @throws {@link LostChainError}
 * @throws {@link OtherVersionError}
 */
export async function startHub({
  script,
  port,
  vars,
  statePath,
  chainUrl,
  callersNameAddress = false,
  files = true,
  isolates = 1,
  extraHubs = {},
  extraWorkers = {},
  platform,
  inspectorPort,
}: HubOptions): Promise<Hub> {
  const {
    workerOptions: { assets, ...workerOptions },
  } = await readWranglerHub()
  limitHeaps(platform !== undefined)
  if (platform !== undefined) {
    const flags = workerOptions.compatibilityFlags as string[]
    Object.assign(workerOptions, { compatibilityFlags: [...flags, ...platformFlags] })
  }
  const limited = platform === undefined ? script : await onPlatform(script, platform)
  const objects = workerOptions.durableObjects as DurableObjects
  const bindings = { ...(workerOptions.bindings as Record<string, string>), ...vars }
  const [first, ...others] = callersNameAddress ? limited : behindFront(limited)
  // For each module Miniflare copies all that it has written before.
  const modules = [first!, ...others.sort((a, b) => a.contents.length - b.contents.length)]
  const names = Array.from({ length: isolates }, (_, index) => (index === 0 ? 'hub' : `hub-${index + 1}`))
  // For whatever follows, too, so the hub is the last of the Workers.
  const workers: V4WorkerOptions[] = [
    ...Object.entries(extraWorkers).map(([name, contents]) => ({
      name,
      compatibilityDate: workerOptions.compatibilityDate as string,
      modules: [{ type: 'ESModule' as const, path: `${name}.mjs`, contents }],
      serviceBindings: { HUB: 'hub' },
      d1Databases: workerOptions.d1Databases as Databases,
      durableObjects: Object.assign(
        objectsOf('hub', objects),
        ...Object.keys(extraHubs).map((other) => objectsOf(other, objects, `${other}_`)),
      ),
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    })),
    // In front of a Worker with assets Miniflare puts another one, which costs as much as the hub does.
    {
      name: 'assets',
      compatibilityDate: workerOptions.compatibilityDate as string,
      modules: [
        { type: 'ESModule' as const, path: 'assets.mjs', contents: files ? assetsWorker : noAssetsWorker },
      ],
      ...(files && { assets: assets as Assets }),
    },
    ...names.map((name) => ({
      ...workerOptions,
      serviceBindings: { ASSETS: 'assets' },
      name,
      modules,
      bindings,
      // Further isolates use the objects of the first, as two data centres would, and leave its queues to it.
      ...(name !== 'hub' && { queueConsumers: [], durableObjects: objectsOf('hub', objects) }),
      // Without a route, requests to Miniflare itself would go to the first of the Workers.
      ...(name === 'hub' && { routes: ['*/*'] }),
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
  ]
  const folder = statePath ?? mkdtempSync(path.join(tmpdir(), 'hub-'))
  const options = convertV4MiniflareOptions({
    cf: false,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: printRuntimeLog,
    unsafeTriggerHandlers: true,
    ...(inspectorPort !== undefined && { inspectorPort }),
    resourcePersistencePath: path.resolve(folder),
    workers,
  })
  // workerd takes connections as soon as it runs.
  const tip = await migrateDatabase(folder)
  if (tip !== null && chainUrl !== undefined && !(await isOnChain(tip, chainUrl))) throw new LostChainError()
  const miniflare = new Miniflare(options)
  const stop = async () => {
    await miniflare.dispose()
    if (statePath === undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const urls = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)))
    return {
      ...{ urls, miniflare, stop },
      runSchedule: () => runSchedule(miniflare),
      deploy: () => deploy(urls),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Over HTTP: Miniflare's own objects block this process until workerd answers, and a workerd that has much to print waits
 * for this process to read it.
 */
async function runSchedule(miniflare: Runtime): Promise<void> {
  const url = `http://localhost/cdn-cgi/local/scheduled?cron=${encodeURIComponent('*/5 * * * *')}`
  const response = await miniflare.dispatchFetch(url)
  const outcome = await response.text()
  if (!response.ok) throw new Error(`the schedule of the hub ended with ${outcome}`)
}

async function deploy(urls: readonly URL[]): Promise<void> {
  for (const url of urls) {
    const response = await fetch(new URL('/platform/deployment', url), { method: 'POST' })
    if (!response.ok)
      throw new Error(`the hub does not run on a platform that can deploy: ${response.status}`)
    await response.arrayBuffer()
  }
}

/**
 * Prints the log of the runtime. Messages marked `NOSENTRY` are for its own developers, such as that an alarm was set
 * again while it ran.
 */
function printRuntimeLog({ level, message }: { level: string; message: string }): void {
  if (message.startsWith('NOSENTRY')) return
  if (level === 'error' || level === 'warn') console.error(message)
  else console.log(message)
}

const assetsWorker = 'export default { fetch: (request, env) => env.ASSETS.fetch(request) }'
const noAssetsWorker = 'export default { fetch: () => new Response(null, { status: 404 }) }'

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
