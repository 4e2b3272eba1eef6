import { randomBytes } from 'node:crypto'
import { constants, existsSync, fsyncSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../../../../protocol/encoding/index.ts'
import { CliError } from '../../cli/errors.ts'
import { readAtMost, useOwnFile } from '../../data-dir/own-file.ts'
import type { FactStore } from '../store/facts.ts'

/** A process of this machine, told apart from every other one of the same boot. */
interface ProcessMark {
  readonly boot_id: string
  readonly pid: number
  /** When the process began, in the ticks of the system; null if the system does not tell. */
  readonly started: string | null
}

/** The content of the owner's file: the process that used the directory last, and its database. */
interface Owner extends ProcessMark {
  /** Mark of the database file: a copy is another file. */
  readonly database: string
  /** Drawn at each start and each orderly end, and stored in the database too: an earlier state of the database has an earlier session. */
  readonly session: string
  /** The session in the database while the next one is being written to it. */
  readonly previous?: string | null
}

/** The conclusion from the file for the process that claims the directory. */
export type DirectoryFinding =
  | 'own'
  /** The database is not the one that the file names: the directory is a copy, or was restored from a backup. */
  | 'copied'

const ownerBytesMax = 4096

/**
 * Claims a data directory whose lock this process has. The lock holds for one directory; the owner's file travels with a copy
 * of it, and names the process that uses the original.
 *
 * It cannot tell that the original is in use on another machine, that a whole disk was put back to an earlier state, or that after a kill
 * the database was put back to a backup of the same run.
 *
 * @param noteCopy Notes what follows from a copy. It is called again at the next start if this process ends before it returns.
 * @throws {@link CliError} while the process that wrote the file runs: the directory is a copy of the one it uses.
 */
export function claimDirectory(dataDir: string, store: OwnedStore, noteCopy: () => void): DirectoryFinding {
  const file = ownerFile(dataDir)
  const last = readOwner(file)
  if (last !== null && isRunning(last))
    throw new CliError(
      'copied',
      `${dataDir} is a copy of the data directory that process ${last.pid} uses; two nodes with one key would be slashed`,
      { hint: 'Stop that process for good before you use the copy.' },
    )
  const kept = store.facts.get(sessionFact)
  const fits = last !== null && (kept === last.session || ('previous' in last && kept === last.previous))
  const isOwn = last === null ? kept === null : fits && last.database === fileMark(store.file)
  // Before the file fits the database, as it does from then on.
  if (!isOwn) noteCopy()
  beginSession(file, store)
  return isOwn ? 'own' : 'copied'
}

/** Leaves a claimed directory: a backup of its database that was made meanwhile is an earlier state from now on. */
export const leaveDirectory = (dataDir: string, store: OwnedStore): void =>
  beginSession(ownerFile(dataDir), store)

function beginSession(file: string, { file: database, facts }: OwnedStore): void {
  const previous = facts.get(sessionFact)
  const own: Owner = {
    ...markOf(process.pid),
    database: fileMark(database),
    session: randomBytes(16).toString('hex'),
  }
  // A process that is killed between these steps leaves a file that fits the database before and after.
  writeOwner(file, { ...own, previous })
  facts.set(sessionFact, own.session)
  writeOwner(file, own)
}

const ownerFile = (dataDir: string): string => path.join(dataDir, 'nodectl.owner')

/**
 * Whether serve used this directory last, and its process ended. Nothing is written. False for a copy: the original may be
 * in use on another machine.
 */
export function isLeftBehind(dataDir: string, database: string): boolean {
  const last = readOwner(ownerFile(dataDir))
  if (last === null || !existsSync(database) || last.database !== fileMark(database)) return false
  // On a system without ids of boots, any process of that number counts.
  return last.boot_id === '' ? !isAlive(last.pid) : !isRunning(last)
}

interface OwnedStore {
  readonly file: string
  readonly facts: FactStore
}

const sessionFact = 'owner_session'

/** @throws {@link CliError} for an object of that name that is not a regular file. */
function readOwner(file: string): Owner | null {
  try {
    return useOwnFile(file, constants.O_RDONLY, (descriptor) =>
      parseOwner(readAtMost(descriptor, ownerBytesMax)),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CliError('data_dir', `the data directory cannot be used: ${(error as Error).message}`)
  }
}

/** The one that is there, or the new one, whenever the process ends. */
function writeOwner(file: string, owner: Owner): void {
  const part = `${file}.part`
  useOwnFile(part, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, (descriptor) => {
    writeSync(descriptor, `${JSON.stringify(owner)}\n`)
    fsyncSync(descriptor)
  })
  renameSync(part, file)
}

/** Null for what this tool did not write. */
function parseOwner(bytes: Buffer): Owner | null {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
  if (!isObject(value)) return null
  const { boot_id, pid, started, database, session } = value
  if (![boot_id, database, session].every((text) => typeof text === 'string') || typeof pid !== 'number')
    return null
  return { ...(value as unknown as Owner), started: typeof started === 'string' ? started : null }
}

/** The number of a file that was removed goes to a later one, so the time it was made tells them apart. */
function fileMark(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true })
  return `${ino} ${birthtimeNs}`
}

function isRunning({ boot_id, pid, started }: ProcessMark): boolean {
  if (pid === process.pid || boot_id === '') return false
  const now = markOf(pid)
  if (boot_id !== now.boot_id || !isAlive(pid)) return false
  // Numbers of processes are used again.
  return started === null || now.started === null || started === now.started
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const markOf = (pid: number): ProcessMark => ({
  boot_id: readSystem('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
  pid,
  started: startOf(readSystem(`/proc/${pid}/stat`)),
})

/** The 22nd field; the second one, the name of the program, may hold blanks and parentheses. */
const startOf = (stat: string | null): string | null =>
  stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null

function readSystem(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
