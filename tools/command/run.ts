import { CommandError } from './errors.ts'

/** Of an error that nobody expected. */
const bugExitCode = 70

/** Prints why a command failed, with a stack where it is a bug, and gives its exit code. */
export function reportFailure(error: unknown): number {
  if (!(error instanceof CommandError)) {
    console.error(error)
    return bugExitCode
  }
  console.error(`Error: ${error.message}`)
  return error.exitCode
}

/** Runs a command to its end, and sets the exit code of the process. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    process.exitCode = reportFailure(error)
  }
}
