import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Profile } from '../../../protocol/identity/index.ts'
import { shellWord } from '../cli/shell-word.ts'
import { databaseFile, otherVersionOf } from '../data-dir/database.ts'
import { lockFileOf, lockFolder } from '../data-dir/folder-lock.ts'
import { identityOf, readNodeKey } from '../data-dir/node-key.ts'
import { type Check, failed, ok, skipped, warning } from './finding.ts'

const othersMask = 0o077

export const keyCheck =
  (dataDir: string, profile: Profile): Check =>
  () => {
    const seed = readNodeKey(dataDir)
    if (seed === null)
      return failed(
        `no node key in ${dataDir}`,
        `Create one: nodectl keygen --data-dir ${shellWord(dataDir)}`,
      )
    return ok(`${identityOf(profile, dataDir, seed).node_id}, readable by its owner alone`)
  }

export const dataDirCheck =
  (dataDir: string): Check =>
  () => {
    if (!existsSync(dataDir))
      return failed(
        `there is no ${dataDir}`,
        `Create it with its key: nodectl keygen --data-dir ${shellWord(dataDir)}`,
      )
    try {
      accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch {
      return failed(
        `${dataDir} cannot be written by this user`,
        'Run as the user of the service, or give it the directory: chown -R <USER> <DIR>',
      )
    }
    const found = problemOfDatabase(dataDir)
    if (found !== null) return failed(found.problem, found.mend)
    if (process.platform !== 'win32' && statSync(dataDir).mode & othersMask)
      return warning(`others can look into ${dataDir}`, `chmod 700 ${shellWord(dataDir)}`)
    return ok(`${dataDir} can be used`)
  }

/** Answers of SQLite. */
const [sqliteCorrupt, sqliteNotADatabase] = [11, 26]

/** The first fault that SQLite finds, or tables of a newer version; null for a database of use, or one that does not exist yet. */
function problemOfDatabase(dataDir: string): { problem: string; mend: string } | null {
  const file = databaseFile(dataDir)
  if (!existsSync(file)) return null
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      const row = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
      if (row.quick_check !== 'ok') return damage(row.quick_check)
      const problem = otherVersionOf(db, file)
      const mend = 'Install that version or a newer one, or use a new data directory with a new key.'
      return problem === null ? null : { problem, mend }
    } finally {
      db.close()
    }
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number }
    // The lowest byte of a code is its kind. A full disk or a file of another user is no damage, and a backup would not help.
    return [sqliteCorrupt, sqliteNotADatabase].includes(errcode & 0xff)
      ? damage(message)
      : {
          problem: `${file} cannot be read: ${message}`,
          mend: 'Free some disk space, and see that all files in the directory belong to the user of the node: chown -R <USER> <DIR>',
        }
  }
}

const damage = (fault: string) => ({
  problem: `the database is damaged: ${fault}`,
  mend: 'Stop the node and put a backup in its place; keep node.key.',
})

/** Tells the process that has the directory, which is the node when it runs. */
export const processCheck =
  (dataDir: string): Check =>
  () => {
    if (!existsSync(dataDir)) return skipped('there is no data directory')
    // Made here, the lock would belong to the user who asks, who may be root, and the node could not open it.
    if (!existsSync(lockFileOf(dataDir, 'nodectl'))) return ok(noOther)
    const lock = lockFolder(dataDir, 'nodectl')
    if (lock.status === 'busy')
      return ok(
        `${lock.pid === null ? 'another process' : `process ${lock.pid}`} uses the data directory; a second process would be refused`,
      )
    lock.release()
    return ok(noOther)
  }

const noOther = 'no other process has the data directory'
