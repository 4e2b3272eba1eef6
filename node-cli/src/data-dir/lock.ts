import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
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
    await rm(file, { force: true })
  }
}

async function acquire(dataDir: string, file: string): Promise<void> {
  const own = `${file}.${process.pid}`
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await writeFile(own, String(process.pid))
    // Two tries: the second after a lock whose process is gone was removed.
    for (let attempt = 0; attempt < 2; attempt++) {
      // A link appears whole or not at all, so a lock never exists without its pid.
      const taken = await link(own, file).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false
          throw error
        },
      )
      if (taken) return
      const owner = Number(await readFile(file, 'utf8').catch(() => ''))
      if (isAlive(owner))
        throw new CliError('locked', `the data directory ${dataDir} is in use by process ${owner}`)
      await rm(file, { force: true })
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

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
