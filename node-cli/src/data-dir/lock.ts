import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CliError } from '../cli/errors.ts'

/**
 * Takes a data directory for this process while `work` runs.
 *
 * @throws {@link CliError} while another process has it, naming that process.
 */
export async function withDataDir<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const file = path.join(dataDir, 'lock')
  await acquire(dataDir, file)
  try {
    return await work()
  } finally {
    if ((await readOwner(file)) === process.pid) await rm(file, { force: true })
  }
}

async function acquire(dataDir: string, file: string): Promise<void> {
  const own = `${file}.${process.pid}`
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await writeFile(own, String(process.pid))
    for (let attempt = 0; attempt < 5; attempt++) {
      // A link appears whole or not at all, so a lock never exists without its pid.
      const taken = await link(own, file).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false
          throw error
        },
      )
      if (taken) return
      const owner = await readOwner(file)
      // Given back meanwhile: try again, and remove nothing.
      if (owner === null) continue
      if (isAlive(owner))
        throw new CliError('locked', `the data directory ${dataDir} is in use by process ${owner}`)
      await removeStale(file, owner)
    }
    throw new CliError('locked', `the data directory ${dataDir} is in use by another process`)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(
      'data_dir',
      `the data directory ${dataDir} cannot be used: ${(error as Error).message}`,
    )
  } finally {
    await rm(own, { force: true }).catch(() => {})
  }
}

/** The pid in a lock; null when there is no lock. */
async function readOwner(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : Number(text)
}

/** Moves the lock of a dead process away; one that was taken meanwhile is put back. */
async function removeStale(file: string, owner: number): Promise<void> {
  const aside = `${file}.stale.${process.pid}`
  const moved = await rename(file, aside).then(
    () => true,
    () => false,
  )
  if (!moved) return
  if ((await readOwner(aside)) !== owner) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
