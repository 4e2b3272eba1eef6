import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../../../protocol/encoding/index.ts'
import { CliError } from '../cli/errors.ts'
import { openOwnFile, readAtMost } from '../data-dir/own-file.ts'
import type { FactStore } from './store/facts.ts'

/** A process of this machine, told apart from every other one of the same boot. */
interface ProcessMark {
  readonly boot_id: string
  readonly pid: number
  /** When the process began, in the ticks of the system; null where the system does not tell. */
  readonly started: string | null
}

/** What the lease file holds: who used the directory last, and which database it was. */
interface Lease extends ProcessMark {
  /** Of the file: a copy is another file. */
  readonly database: string
  /** Drawn at each start and kept in the database too: an earlier state of it has an earlier one. */
  readonly session: string
  /** That of the database while the next one is on its way into it. */
  readonly previous?: string | null
}

/** What the lease of a directory says to the process that takes it. */
export type LeaseFinding =
  /** The directory is the one that its last process used. */
  | 'own'
  /** The database is another one than it was: the directory is a copy, or came back from a backup. */
  | 'copied'

const leaseBytesMax = 4096

/**
 * Takes the lease of a data directory whose lock this process has. The lock holds for one directory; the lease travels with
 * a copy, and tells of the process that uses the original.
 *
 * It cannot tell that the original is in use on another machine, nor that a whole disk was put back to an earlier state.
 *
 * @throws {@link CliError} while the process that wrote the lease runs: the directory is a copy of the one it uses.
 */
export function takeLease(dataDir: string, { file: database, facts }: LeasedStore): LeaseFinding {
  const file = path.join(dataDir, 'nodectl.lease')
  const last = readLease(file)
  if (last !== null && isRunning(last))
    throw new CliError(
      'copied',
      `${dataDir} is a copy of the data directory that process ${last.pid} uses; two nodes with one key would be slashed`,
      { hint: 'Stop that process for good before you use the copy.' },
    )
  const kept = facts.get(sessionFact)
  const own: Lease = {
    ...markOf(process.pid),
    database: fileMark(database),
    session: randomBytes(16).toString('hex'),
  }
  // A process that is killed between these steps leaves a lease that fits the database before and after.
  writeLease(file, { ...own, previous: kept })
  facts.set(sessionFact, own.session)
  writeLease(file, own)
  if (last === null) return kept === null ? 'own' : 'copied'
  const fits = kept === last.session || ('previous' in last && kept === last.previous)
  return fits && last.database === own.database ? 'own' : 'copied'
}

/** The database that the lease is for. */
interface LeasedStore {
  readonly file: string
  readonly facts: FactStore
}

const sessionFact = 'lease_session'

/** @throws {@link CliError} for what lies under its name and is no regular file. */
function readLease(file: string): Lease | null {
  let descriptor: number
  try {
    descriptor = openOwnFile(file, constants.O_RDONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CliError('data_dir', `the data directory cannot be used: ${(error as Error).message}`)
  }
  try {
    return parseLease(readAtMost(descriptor, leaseBytesMax))
  } finally {
    closeSync(descriptor)
  }
}

/** The one that is there, or the new one, whenever the process ends. */
function writeLease(file: string, lease: Lease): void {
  const part = `${file}.part`
  const descriptor = openOwnFile(part, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  try {
    writeSync(descriptor, `${JSON.stringify(lease)}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(part, file)
}

/** Null for what this tool did not write. */
function parseLease(bytes: Buffer): Lease | null {
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
  return { ...(value as unknown as Lease), started: typeof started === 'string' ? started : null }
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
