import { CommandError } from '../scripts/command/errors.ts'

/** Thrown when the local network cannot start, with what to do about it. */
export class StartError extends CommandError {
  override readonly name = 'StartError'
}

/** What an error says, with its cause: that of `fetch` alone says "fetch failed". */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
