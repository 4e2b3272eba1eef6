import { open } from 'node:fs/promises'
import { CliError, UsageError } from './errors.ts'

/** What is read from standard input, in words. */
const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)

/** Refuses to take two things from standard input: the second would be empty. @throws {@link UsageError} */
export function checkStandardInput(...files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === '-').length > 1)
    throw new UsageError('standard input holds one thing only; name a file for the other')
}

/**
 * Reads a file, or standard input for `-`, up to a limit; what is larger is refused before it is read whole.
 *
 * @throws {@link CliError}
 */
export async function readInput(file: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const stream = file === '-' ? process.stdin : (await open(file)).createReadStream()
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      length += chunk.length
      if (length > bytesMax) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new CliError('unreadable', `${nameOf(file)} cannot be read: ${reason(error)}`)
  }
  if (length > bytesMax) throw new CliError('too_large', `${nameOf(file)} is larger than ${bytesMax} bytes`)
  return new Uint8Array(Buffer.concat(chunks))
}

/** What went wrong with a file (or with the folder it should be in), without the call that found out. */
export function reason(error: unknown, missing: 'file' | 'folder' = 'file'): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `there is no such ${missing}`
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES') return 'permission denied'
  return message
}
