import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Miniflare as Runtime } from 'miniflare'
import { Miniflare } from '../../scripts/miniflare.ts'

interface Kept {
  readonly runtime: Runtime
  readonly end: () => Promise<void>
  /** The inodes of the files that it has open. */
  databases: ReadonlyMap<string, number>
}

type Options = ConstructorParameters<typeof Miniflare>[0]

const keptMax = 3
/** By their options; the one that was used last comes last. */
const kept = new Map<string, Kept>()

/**
 * In the place of `Miniflare`, for wrangler, which makes a runtime with `new` for each statement and each file: what it ends goes on, and
 * is what it gets the next time, unless somebody has put other databases into the folder meanwhile.
 */
export function KeptRuntime(options: Options): Runtime {
  const { resourcePersistencePath = '' } = options as { resourcePersistencePath?: string }
  const folder = path.resolve(resourcePersistencePath)
  const key = keyOf(options, folder)
  const before = kept.get(key)
  kept.delete(key)
  if (before !== undefined && isSame(before.databases)) {
    kept.set(key, before)
    return before.runtime
  }
  void before?.end()
  const runtime = new Miniflare(options)
  const own: Kept = { runtime, end: runtime.dispose.bind(runtime), databases: new Map() }
  kept.set(key, own)
  runtime.dispose = async () => {
    own.databases = databasesIn(folder)
    await endOldest()
  }
  return runtime
}

/** An export looks for its folder elsewhere than a statement, and has a Worker that answers nobody written in other words. */
const keyOf = (options: Options, folder: string): string =>
  JSON.stringify([
    ...[process.cwd(), existsSync(folder) ? realpathSync(folder) : folder],
    ...[{ ...options, resourcePersistencePath: undefined }],
  ]).replaceAll('"export default {}"', '""')

async function endOldest(): Promise<void> {
  for (const [key, { end }] of [...kept].slice(0, -keptMax)) {
    kept.delete(key)
    await end()
  }
}

const databasesIn = (folder: string): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^(d1|r2)\b.*\.sqlite$/.test(name))
      .map((name) => path.join(folder, name))
      .map((file) => [file, statSync(file).ino]),
  )

const isSame = (databases: ReadonlyMap<string, number>): boolean =>
  [...databases].every(([file, inode]) => existsSync(file) && statSync(file).ino === inode)
