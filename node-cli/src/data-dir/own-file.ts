import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'

/** Windows has neither symbolic links of this kind nor pipes with a name in a folder. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Thrown for a file that has a name of this tool, but was not made by it. */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile'

  constructor(file: string, problem: string) {
    super(`${file} ${problem}`)
  }
}

/**
 * Opens a file that this tool made: a regular one, never through a symbolic link, and without waiting for what a pipe of
 * that name may have to say.
 *
 * @throws {@link ForeignFile}, or what the system says.
 */
function openOwnFile(file: string, flags: number, mode = 0o600): number {
  let descriptor: number
  try {
    descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, mode)
  } catch (error) {
    throw foreignOf(file) ?? error
  }
  try {
    checkRegular(file, fstatSync(descriptor))
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Opens a file of this tool, returns the result of `use` and closes it. @throws As {@link openOwnFile}, or as `use`. */
export function useOwnFile<T>(file: string, flags: number, use: (descriptor: number) => T, mode?: number): T {
  const descriptor = openOwnFile(file, flags, mode)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether others than its owner can read an open file, where the system tells. */
export const othersCanRead = (descriptor: number): boolean =>
  process.platform !== 'win32' && (fstatSync(descriptor).mode & 0o077) !== 0

/** The beginning of an open file, up to one byte more than it may have. */
export function readAtMost(descriptor: number, bytesMax: number): Buffer {
  const bytes = Buffer.alloc(bytesMax + 1)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0))
}

/** @throws {@link ForeignFile} */
export function checkRegular(file: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw new ForeignFile(file, 'is a symbolic link')
  if (!stats.isFile()) throw new ForeignFile(file, 'is not a regular file')
}

/** Systems refuse to open a link, a folder or a socket each with a code of their own. */
function foreignOf(file: string): ForeignFile | null {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return null
  try {
    checkRegular(file, stats)
    return null
  } catch (error) {
    return error as ForeignFile
  }
}
