import { randomBytes } from 'node:crypto'
import { readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CliError } from './errors.ts'
import { reason } from './input.ts'

/** Names of standard output. */
const standardOutputs = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** Whether a file named on the command line is standard output, which then carries nothing else. */
export const isStandardOutput = (file: string): boolean => standardOutputs.includes(file)

/**
 * Looks at where a result will go before the work for it is done.
 *
 * A regular file gets its name when it is complete, so nobody ever sees half of one; a symlink stays one. Any other kind
 * of file, such as a pipe or a device, is written to and never replaced.
 *
 * @param source The file that the result is made from; it is never overwritten, not even under another name.
 * @returns A function that writes the result.
 * @throws {@link CliError}
 */
export async function outputFile(
  file: string,
  source: string,
): Promise<(bytes: Uint8Array) => Promise<void>> {
  try {
    const there = await stat(file, { bigint: true }).catch(ifAbsent)
    if (there?.isDirectory()) throw new CliError('unwritable', `${file} is a directory; name a file in it`)
    if (there && !there.isFile()) return (bytes) => orRefuse(file, writeFile(file, bytes))
    const own = there && (await stat(source, { bigint: true }).catch(ifAbsent))
    if (own && own.dev === there.dev && own.ino === there.ino)
      throw new CliError('unwritable', `${file} is the source ${source}; name another file`)
    const target = await (there ? realpath(file) : targetOf(file))
    return (bytes) => orRefuse(file, writeWhole(target, bytes))
  } catch (error) {
    throw unwritable(file, error)
  }
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = path.join(path.dirname(file), `.nodectl-${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    await writeFile(temporary, bytes)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** The path at which a missing file will be made: the end of its symlinks, which lead nowhere yet. */
async function targetOf(file: string): Promise<string> {
  const named = path.join(await realpath(path.dirname(file)), path.basename(file))
  const link = await readlink(named).catch(ifAbsent)
  return link === null ? named : targetOf(path.resolve(path.dirname(named), link))
}

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

const orRefuse = (file: string, written: Promise<void>): Promise<void> =>
  written.catch((error) => {
    throw unwritable(file, error)
  })

const unwritable = (file: string, error: unknown): CliError =>
  error instanceof CliError
    ? error
    : new CliError('unwritable', `${file} cannot be written: ${reason(error, 'folder')}`)
