import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const root = path.resolve(import.meta.dirname, '..')
const cache = path.join(root, 'node_modules/.cache/nodectl')

/** What a build is made of. */
const sources = [
  'node-cli/src',
  'node-cli/assembly',
  'node-cli/build.ts',
  'node-cli/package.json',
  'protocol',
  'package-lock.json',
]

/** Builds that were used last; those of other branches stay, and what may still run is not removed. */
const keptBuilds = 8

/** Where the build of the sources as they are is kept, whether it was made or not. */
export const keptBuildFolder = (): string => path.join(cache, hashSources())

/**
 * The package as it is published, built. A build is kept under the hash of its sources, and made only once.
 *
 * @returns Its {@link keptBuildFolder}.
 * @throws With what the bundler says.
 */
export async function keptBuild(): Promise<string> {
  const dist = keptBuildFolder()
  if (existsSync(dist)) {
    utimesSync(dist, new Date(), new Date())
    return dist
  }
  mkdirSync(cache, { recursive: true })
  const unfinished = path.join(cache, `unfinished-${randomBytes(8).toString('hex')}`)
  try {
    await buildInto(unfinished)
    adopt(unfinished, dist)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  removeOldBuilds()
  return dist
}

function hashSources(): string {
  const hash = createHash('sha256')
  for (const file of sources.flatMap(listFiles).sort()) {
    const bytes = readFileSync(path.join(root, file))
    hash.update(`${file}\n${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex').slice(0, 32)
}

/** Files below a place, as the bundler sees them: tests are in no build. */
function listFiles(place: string): string[] {
  if (statSync(path.join(root, place)).isFile()) return /\.test\.ts$|\.md$/.test(place) ? [] : [place]
  const names = readdirSync(path.join(root, place)).filter((name) => name !== 'testing')
  return names.flatMap((name) => listFiles(path.posix.join(place, name)))
}

async function buildInto(folder: string): Promise<void> {
  const child = spawn(process.execPath, ['node-cli/build.ts'], {
    cwd: root,
    env: { ...process.env, NODECTL_DIST: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`nodectl cannot be built: ${said.trim()}`)
}

/** Two that build at once build the same. */
function adopt(unfinished: string, dist: string): void {
  try {
    renameSync(unfinished, dist)
  } catch (error) {
    if (!existsSync(dist)) throw error
  }
}

function removeOldBuilds(): void {
  const builds = readdirSync(cache, { withFileTypes: true })
    .filter(({ name }) => /^[0-9a-f]{32}$/.test(name))
    .map(({ name }) => path.join(cache, name))
  const newestFirst = builds
    .map((folder) => ({ folder, usedMs: statSync(folder).mtimeMs }))
    .sort((a, b) => b.usedMs - a.usedMs)
  for (const { folder } of newestFirst.slice(keptBuilds)) rmSync(folder, { recursive: true, force: true })
}
