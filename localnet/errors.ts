import { CommandError } from '../scripts/command/errors.ts'

/** Thrown when the local network cannot start, with what to do about it. */
export class StartError extends CommandError {
  override readonly name = 'StartError'
}

/** The message of an error, with that of its cause: `fetch` alone only says "fetch failed". */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
