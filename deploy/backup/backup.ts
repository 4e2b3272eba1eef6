import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from '../../scripts/command/errors.ts'
import type { Environment } from '../environment.ts'
import { resourcesOf } from '../wrangler-config.ts'
import { type BackedDatabase, exportDatabase } from './database.ts'
import { backupFiles, type Manifest, writeManifest } from './manifest.ts'
import { dumpObjects, type Post } from './objects.ts'

export interface BackupOptions {
  readonly environment: Environment
  readonly database: BackedDatabase
  readonly post: Post
  /** The newest block of the chain. */
  readonly blockNumber: () => Promise<number>
  /** A new folder. */
  readonly folder: string
  readonly secrets: readonly string[]
  readonly now: Date
  readonly say: (line: string) => void
}

/**
 * Writes all that a network cannot find again elsewhere into a folder: the database, what Durable Objects alone know, and the settings. The
 * objects come last: what they know and the database does not, they tell it after a restore. @throws {@link CommandError}
 */
export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { environment, database, post, folder, say, now } = options
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandError(`${folder} is not empty. A backup needs a folder of its own.`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = (name: string) => path.join(folder, name)
  const block = await options.blockNumber()
  say('Exporting the database: the hub answers 503 meanwhile')
  await exportDatabase(database, file(backupFiles.database))
  const parts = await dumpObjects(post, file(backupFiles.objects))
  say(`Read ${parts} parts of Durable Objects`)
  const known = { environment, secrets: options.secrets }
  writeFileSync(file(backupFiles.environment), `${JSON.stringify(known, null, 2)}\n`)
  return writeManifest(folder, {
    id: backupId(environment, now),
    environment: environment.name,
    begun_at: Math.floor(now.getTime() / 1000),
    block,
    objects_tag: resourcesOf(environment).objectsTag,
  })
}

/** The name of a backup of this moment. */
export const backupId = ({ name }: Pick<Environment, 'name'>, now: Date): string =>
  `${name}-${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
