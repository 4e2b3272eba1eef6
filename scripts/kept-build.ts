import { createHash, randomBytes } from 'node:crypto'
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

const root = path.resolve(import.meta.dirname, '..')

/** Something that is built from files of this repository. */
export interface Build {
  readonly name: string
  /** Files and folders that it is made of. */
  readonly sources: readonly string[]
  /** Builds it into a folder. */
  readonly buildInto: (folder: string) => Promise<unknown>
}

/** Builds that were used last; those of other branches stay, and what may still run is not removed. */
const keptBuilds = 8

/** The builds that this process asked for, by name: a package brings them. */
export const askedBuilds = new Map<string, string>()

const cacheOf = ({ name }: Build): string => path.join(root, 'node_modules/.cache', name)

/** The folder for the build of the present sources, whether it was made or not. */
export const keptBuildFolder = (build: Build): string => path.join(cacheOf(build), hashSources(build))

/**
 * Builds, unless the same sources were built before: a build is kept under the hash of its sources.
 *
 * @returns Its {@link keptBuildFolder}.
 */
export async function keptBuild(build: Build): Promise<string> {
  const kept = keptBuildFolder(build)
  askedBuilds.set(build.name, kept)
  if (existsSync(kept)) {
    utimesSync(kept, new Date(), new Date())
    return kept
  }
  const cache = cacheOf(build)
  const unfinished = path.join(cache, `unfinished-${randomBytes(8).toString('hex')}`)
  mkdirSync(unfinished, { recursive: true })
  try {
    await build.buildInto(unfinished)
    adopt(unfinished, kept)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  removeOldBuilds(cache)
  return kept
}

function hashSources({ sources }: Build): string {
  const hash = createHash('sha256')
  for (const file of sources.flatMap(listFiles).sort()) {
    const bytes = readFileSync(path.join(root, file))
    hash.update(`${file}\n${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex').slice(0, 32)
}

/** Files of a place, as a bundler sees them: tests and pages are in no build, unless it names them. */
const listFiles = (place: string): string[] =>
  statSync(path.join(root, place)).isFile() ? [place] : listBelow(place)

function listBelow(folder: string): string[] {
  // To ask the system for each file by its own takes most of the time that the list does.
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true })
  return entries
    .filter(({ name }) => !/^test(ing)?$|\.test\.ts$|\.md$/.test(name))
    .flatMap((entry) => {
      const place = path.posix.join(folder, entry.name)
      return entry.isDirectory() ? listBelow(place) : [place]
    })
}

/** If two processes build at once, both builds are the same, and the first one stays. */
function adopt(unfinished: string, kept: string): void {
  try {
    renameSync(unfinished, kept)
  } catch (error) {
    if (!existsSync(kept)) throw error
  }
}

function removeOldBuilds(cache: string): void {
  const builds = readdirSync(cache, { withFileTypes: true })
    .filter(({ name }) => /^[0-9a-f]{32}$/.test(name))
    .map(({ name }) => path.join(cache, name))
  const newestFirst = builds
    .map((folder) => ({ folder, usedMs: statSync(folder).mtimeMs }))
    .sort((a, b) => b.usedMs - a.usedMs)
  for (const { folder } of newestFirst.slice(keptBuilds)) rmSync(folder, { recursive: true, force: true })
}
