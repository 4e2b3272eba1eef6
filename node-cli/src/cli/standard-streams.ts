import { writeSync } from 'node:fs'
import { exitCodes } from './errors.ts'

const standardOutput = 1
const standardError = 2
type Descriptor = typeof standardOutput | typeof standardError

/** The streams that took over, because a reader is slow; what comes later must not overtake what waits in them. */
const streams = new Map<Descriptor, NodeJS.WriteStream>()

/** Writes to standard output, which carries the result and nothing else. */
export const writeOutput = (data: string | Uint8Array): void => write(standardOutput, data)

/** Writes to standard error. */
export const writeError = (data: string): void => write(standardError, data)

/** Without the streams of Node: to load them takes longer than to write what most commands have to say. */
function write(descriptor: Descriptor, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  let written = 0
  try {
    if (!streams.has(descriptor))
      while (written < bytes.length) written += writeSync(descriptor, bytes, written)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN')
      return cannotWrite(descriptor, error as NodeJS.ErrnoException)
    // A pipe that another process told not to wait is full; a stream waits for its reader.
    streams.set(descriptor, streamOf(descriptor))
  }
  if (written < bytes.length) streams.get(descriptor)?.write(bytes.subarray(written))
}

function streamOf(descriptor: Descriptor): NodeJS.WriteStream {
  const stream = descriptor === standardOutput ? process.stdout : process.stderr
  return stream.on('error', (error: NodeJS.ErrnoException) => cannotWrite(descriptor, error))
}

function cannotWrite(descriptor: Descriptor, { code, message }: NodeJS.ErrnoException): void {
  // Nobody is left to tell; the exit code still says how it ended.
  if (descriptor === standardError) return
  // A reader that has seen enough, like `head`, closes the pipe; that is not an error of this program.
  if (code === 'EPIPE') process.exit(exitCodes.done)
  writeError(`Error: standard output cannot be written: ${message}\n`)
  process.exit(exitCodes.failed)
}
