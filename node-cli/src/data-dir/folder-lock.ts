import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from './make-folder.ts'

export type FolderLock =
  | { status: 'taken'; release: () => void }
  /** Another one has it: the process in the folder's `pid`, where that file tells one. */
  | { status: 'busy'; pid: number | null }

/** Answers of SQLite. */
const sqliteBusy = 5
const sqliteNotADatabase = 26

/**
 * Takes a folder for this process, and makes it if there is none.
 *
 * The lock is the system's, on the open file `lock`, so two at once cannot both have it, and it is gone with the process
 * however that ends. The file stays: removing it would let two processes have a lock, each on a file of its own. What is in
 * it and in `pid` decides nothing.
 *
 * @throws What the system says of a folder that cannot be used.
 */
export function lockFolder(folder: string): FolderLock {
  makeFolder(folder, 0o700)
  const file = path.join(folder, 'lock')
  const pidFile = path.join(folder, 'pid')
  const lock = lockFile(file)
  if (lock === null) return { status: 'busy', pid: readPid(pidFile) }
  try {
    writeFileSync(pidFile, String(process.pid))
  } catch (error) {
    lock.close()
    throw error
  }
  return {
    status: 'taken',
    release: () => {
      rmSync(pidFile, { force: true })
      lock.close()
    },
  }
}

/** Null while another one has the file. */
function lockFile(file: string, mendable = true): DatabaseSync | null {
  const lock = new DatabaseSync(file)
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const { errcode } = error as { errcode?: number }
    if (errcode === sqliteBusy) return null
    if (errcode !== sqliteNotADatabase || !mendable) throw error
    // Emptied, not replaced: it is the same file to others who mend it too, and nothing is ever written to it.
    truncateSync(file)
    return lockFile(file, false)
  }
}

/** The pid in a file; null for anything else, and for the pid of this process, which is that of a process in another container, or of a crash. */
function readPid(file: string): number | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return null
  }
  const pid = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null
  return pid === process.pid ? null : pid
}
