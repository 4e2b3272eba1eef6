import { closeSync, constants, ftruncateSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from './make-folder.ts'
import { checkRegular, ForeignFile, readAtMost, useOwnFile } from './own-file.ts'

export type FolderLock =
  | { status: 'taken'; release: () => void }
  /** Another one has it: the process in the folder's pid file, where that file tells one. */
  | { status: 'busy'; pid: number | null }

/** The file that a process with the folder has locked. No process has a folder without it. */
export const lockFileOf = (folder: string, tool: string): string => path.join(folder, `${tool}.lock`)

/** Answer of SQLite. */
const sqliteBusy = 5

/**
 * Takes a folder for this process, and makes it if it does not exist.
 *
 * The system locks the open file `<tool>.lock`, so only one process can have it, and the lock ends with the process,
 * however that ends. The file stays, always empty: if it were removed, two processes could have a lock, each on its own
 * file. The content of `<tool>.pid` decides nothing.
 *
 * @param tool Begins both names, so that nobody else gives them to a file: the folder may hold other things.
 * @throws {@link ForeignFile} for a file of one of these names that this tool did not make, which is left as it is; the
 * error of the system for a folder that cannot be used.
 */
export function lockFolder(folder: string, tool: string): FolderLock {
  makeFolder(folder, 0o700)
  const pidFile = path.join(folder, `${tool}.pid`)
  const lock = lockFile(lockFileOf(folder, tool))
  if (lock === null) return { status: 'busy', pid: readPid(pidFile) }
  try {
    writePid(pidFile)
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
function lockFile(file: string): DatabaseSync | null {
  makeLockFile(file)
  const lock = new DatabaseSync(file)
  try {
    // SQLite writes nothing to a database without pages.
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null
    throw error
  }
}

/** Looked at without being opened: to close any file of the same inode would end a lock of this process. */
function makeLockFile(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    try {
      closeSync(openSync(file, 'wx', 0o600))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      makeLockFile(file)
    }
    return
  }
  checkRegular(file, stats)
  if (stats.size > 0) throw new ForeignFile(file, 'is not the lock of a data directory: such a file is empty')
}

function writePid(file: string): void {
  useOwnFile(file, constants.O_RDWR | constants.O_CREAT, (descriptor) => {
    if (parsePid(readAtMost(descriptor, pidBytesMax)) === undefined)
      throw new ForeignFile(file, 'holds something else than the id of a process')
    ftruncateSync(descriptor)
    writeSync(descriptor, String(process.pid), 0)
  })
}

/** The pid in a file; null for anything else, and for the pid of this process, which is that of a process in another container, or of a crash. */
function readPid(file: string): number | null {
  try {
    const bytes = useOwnFile(file, constants.O_RDONLY, (descriptor) => readAtMost(descriptor, pidBytesMax))
    const pid = parsePid(bytes) ?? null
    return pid === process.pid ? null : pid
  } catch {
    return null
  }
}

const pidBytesMax = 10

/** Null for a file that a crash left empty, undefined for what this tool never wrote. */
function parsePid(bytes: Buffer): number | null | undefined {
  if (bytes.length === 0) return null
  return /^[1-9]\d{0,9}$/.test(bytes.toString('latin1')) ? Number(bytes) : undefined
}
