import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { CommandError } from '../../scripts/command/errors.ts'

export const manifestName = 'manifest.json'

/** The files of a backup, beside the manifest. */
export const backupFiles = {
  /** Statements that make the database. */
  database: 'database.sql',
  /** A line for each part of an object's rows. */
  objects: 'objects.jsonl',
  /** The environment and the names of its secrets. */
  environment: 'environment.json',
} as const

const Manifest = z.strictObject({
  v: z.literal(1),
  id: z.string(),
  environment: z.string(),
  /** Unix seconds, before anything was read. */
  begun_at: z.int(),
  /** The newest block before the objects were read. */
  block: z.int(),
  /** Which builds can open the rows of the objects. */
  objects_tag: z.string(),
  files: z.array(
    z.strictObject({ name: z.enum(Object.values(backupFiles)), bytes: z.int(), sha256: z.string() }),
  ),
})
export type Manifest = z.output<typeof Manifest>

export async function writeManifest(folder: string, facts: Omit<Manifest, 'v' | 'files'>): Promise<Manifest> {
  const files = await Promise.all(Object.values(backupFiles).map((name) => describe(folder, name)))
  const manifest: Manifest = { v: 1, ...facts, files }
  writeFileSync(path.join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

/** Reads the manifest of a backup without a check of its files. @throws {@link CommandError} */
export function parseManifest(folder: string): Manifest {
  const file = path.join(folder, manifestName)
  if (!existsSync(file))
    throw new CommandError(`${folder} is not a backup: it has no ${manifestName}, which is written last.`)
  const read = Manifest.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!read.success)
    throw new CommandError(`${file} is not a manifest of this version: ${z.prettifyError(read.error)}`)
  return read.data
}

/** Reads a backup, and compares its files with the hashes. @throws {@link CommandError} which names every file that differs. */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = parseManifest(folder)
  const missing = Object.values(backupFiles).filter(
    (name) => !manifest.files.some((one) => one.name === name),
  )
  const problems = missing.map((name) => `${name} is not in the manifest`)
  for (const expected of manifest.files) {
    const is = existsSync(path.join(folder, expected.name)) ? await describe(folder, expected.name) : null
    if (is?.sha256 !== expected.sha256)
      problems.push(
        `${expected.name} ${is === null ? 'is missing' : `has the hash ${is.sha256} instead of ${expected.sha256}`}`,
      )
  }
  if (problems.length > 0)
    throw new CommandError(
      `Files of the backup ${folder} are missing or changed. Use another backup.\n  ${problems.join('\n  ')}`,
    )
  return manifest
}

async function describe(folder: string, name: Manifest['files'][number]['name']) {
  const file = path.join(folder, name)
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  return { name, bytes: (await stat(file)).size, sha256: hash.digest('hex') }
}
