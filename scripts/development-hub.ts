/** Prepares what `wrangler dev` needs before it starts the hub: secrets, and a database with its tables. */
import { constants, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { migrateDatabase, OtherVersionError, readWranglerHub } from './wrangler-hub.ts'

/** The folder in which wrangler keeps the data of a local Worker. */
const statePath = '.wrangler/state/v3'

/** Names the migrations that the database has. It lies with the data, so that both are removed together. */
const appliedFile = path.join(statePath, 'hub-migrations')

/**
 * Makes `.env` of the example that is in the repository; one that exists stays as it is. Not `.dev.vars`, where secrets of a
 * Worker mostly are: what starts the hub in tests would read that too, and cannot be told not to.
 */
export function prepareSecrets(): void {
  try {
    copyFileSync('.env.example', '.env', constants.COPYFILE_EXCL)
    console.log('Made .env from .env.example')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Applies the migrations that the local database lacks. A hub that runs is disturbed only while there are new ones.
 *
 * @throws {Error} If another version of the hub wrote the database.
 */
export async function prepareDatabase(): Promise<void> {
  const { migrations } = await readWranglerHub()
  const names = migrations.map(({ name }) => name).join('\n')
  if (existsSync(appliedFile) && readFileSync(appliedFile, 'utf8') === names) return
  try {
    await migrateDatabase(statePath)
  } catch (error) {
    if (error instanceof OtherVersionError)
      throw new Error(
        `${error.message} Stop wrangler, and remove ${statePath} to begin with an empty database.`,
      )
    throw error
  }
  writeFileSync(appliedFile, names)
  console.log('Applied the migrations to the local database')
}
