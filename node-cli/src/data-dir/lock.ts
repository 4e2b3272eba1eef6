import { CliError } from '../cli/errors.ts'
import { isDiskFailure } from './disk-failure.ts'
import type { FolderLock } from './folder-lock.ts'
import { ForeignFile } from './own-file.ts'

/**
 * Takes a data directory for this process while `work` runs.
 *
 * @throws {@link CliError} while another process has it, naming that process, and for a directory that `work` cannot use.
 */
export async function withDataDir<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  // Commands without a data directory need not load SQLite.
  const { lockFolder } = await import('./folder-lock.ts')
  const { isDatabaseFailure } = await import('./database.ts')
  let lock: FolderLock
  try {
    lock = lockFolder(dataDir, 'nodectl')
  } catch (error) {
    throw unusable(dataDir, error as Error)
  }
  if (lock.status === 'busy')
    throw new CliError(
      'locked',
      `the data directory ${dataDir} is in use by ${lock.pid === null ? 'another process' : `process ${lock.pid}`}`,
    )
  try {
    return await work()
  } catch (error) {
    const isOfDirectory = isDatabaseFailure(error) || isDiskFailure(error) || error instanceof ForeignFile
    throw isOfDirectory ? unusable(dataDir, error) : error
  } finally {
    lock.release()
  }
}

const unusable = (dataDir: string, error: Error): CliError =>
  new CliError(
    'data_dir',
    `the data directory ${dataDir} cannot be used: ${error.message}`,
    error instanceof ForeignFile ? { hint: 'Move that file away, or name another directory.' } : {},
  )
