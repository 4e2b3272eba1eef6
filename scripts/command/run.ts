import { CommandError, isExpected } from './errors.ts'

/** Exit code for an error that nobody expected. */
const bugExitCode = 70

/** Prints why a command failed, with a stack where it is a bug, and gives its exit code. */
export function reportFailure(error: unknown): number {
  if (!isExpected(error)) {
    console.error(error)
    return bugExitCode
  }
  console.error(`Error: ${error.message}`)
  return error instanceof CommandError ? error.exitCode : 1
}

/**
 * Has a command end, without a word, when nobody reads any more what it prints: `head` closes the pipe once it has seen
 * enough.
 */
export function endWithReader(end: () => unknown): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    end()
  })
}

/** Runs a command to its end, and sets the exit code of the process. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  endWithReader(() => process.exit())
  try {
    await command()
  } catch (error) {
    process.exitCode = reportFailure(error)
  }
}
