import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { CliError, UsageError } from './errors.ts'

/** The name of a file in messages; `-` is standard input. */
export const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)

/** Refuses to take two things from standard input: the second would be empty. @throws {@link UsageError} */
export function checkStandardInput(...files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === '-').length > 1)
    throw new UsageError('only one of the inputs can come from standard input; name a file for the other')
}

/**
 * Reads a file, or standard input for `-`, up to a limit; larger input is refused before it is read whole.
 *
 * @throws {@link CliError}
 */
export async function readInput(file: string, bytesMax: number): Promise<Uint8Array> {
  let bytes: Uint8Array
  try {
    bytes = file === '-' ? await readStandardInput(bytesMax) : readUpTo(file, bytesMax)
  } catch (error) {
    throw new CliError('unreadable', `${nameOf(file)} cannot be read: ${reason(error)}`)
  }
  if (bytes.length > bytesMax)
    throw new CliError('too_large', `${nameOf(file)} is larger than ${bytesMax} bytes`)
  return bytes
}

/** Reads until the end, or until there is more than the limit. */
async function readStandardInput(bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > bytesMax) break
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Reads a file until its end, or until there is more than the limit. Without the streams of Node: to load them takes longer
 * than to read a small file.
 */
export function readUpTo(file: string, bytesMax: number): Uint8Array {
  const descriptor = openSync(file, 'r')
  try {
    // A pipe says it is empty. One byte more than a file has room shows where it ends.
    let bytes = new Uint8Array(Math.min(fstatSync(descriptor).size, bytesMax) + 1)
    let length = 0
    while (length <= bytesMax) {
      if (length === bytes.length) {
        const larger = new Uint8Array(Math.min(2 * length, bytesMax) + 1)
        larger.set(bytes)
        bytes = larger
      }
      const count = readSync(descriptor, bytes, length, bytes.length - length, null)
      if (count === 0) break
      length += count
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** The reason why a file (or its folder) cannot be used, without the name of the system call. */
export function reason(error: unknown, missing: 'file' | 'folder' = 'file'): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `there is no such ${missing}`
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES') return 'permission denied'
  return message
}
