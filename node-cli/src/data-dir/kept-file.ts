import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from './make-folder.ts'
import { readAtMost, useOwnFile } from './own-file.ts'

/**
 * Reads a small file of a data directory.
 *
 * @returns Null when the file does not exist, or when it is larger than this tool writes it.
 * @throws {@link ForeignFile}, or what the system says.
 */
export function readKeptFile(file: string, bytesMax: number): string | null {
  try {
    return useOwnFile(file, constants.O_RDONLY, (descriptor) => {
      const bytes = readAtMost(descriptor, bytesMax)
      return bytes.length > bytesMax ? null : bytes.toString('utf8')
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Replaces a small file as a whole, for its owner's eyes only: a crash leaves the old one or the new one. */
export function writeKeptFile(file: string, text: string): void {
  makeFolder(path.dirname(file), 0o700)
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
