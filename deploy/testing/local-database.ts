import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BackedDatabase } from '../backup/database.ts'
import type { Wrangler } from '../wrangler.ts'
import { WranglerError } from '../wrangler-error.ts'
import { callWrangler } from './call-wrangler.ts'
import { loadedWrangler } from './loaded-wrangler.ts'

/** The path of a hub's storage below a folder, at which wrangler finds it. */
export const statePathIn = (folder: string): string => path.join(folder, '.wrangler', 'state', 'v3')

const attemptsMax = 20

/** A database that wrangler keeps in a folder, while a hub may use it. */
export function localDatabase(folder: string): BackedDatabase {
  mkdirSync(folder, { recursive: true })
  const config = path.join(folder, 'wrangler.json')
  const database_id = '00000000-0000-0000-0000-000000000000'
  writeFileSync(
    config,
    JSON.stringify({
      ...{ name: 'hub', compatibility_date: '2026-10-01' },
      d1_databases: [{ binding: 'DB', database_name: 'hub', database_id }],
    }),
  )
  return { wrangler, name: 'hub', place: ['--local', '--config', config] }
}

/** Two processes write one file here, which D1 never has: the one that comes second is refused. */
const wrangler: Wrangler = async (args) => {
  for (let attempt = 1; ; attempt++)
    try {
      return await callWrangler(await loadedWrangler(), args)
    } catch (error) {
      const isLocked = error instanceof WranglerError && /SQLITE_BUSY|database is locked/.test(error.output)
      if (!isLocked || attempt === attemptsMax) throw error
    }
}
