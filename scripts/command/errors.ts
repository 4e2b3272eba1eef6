import { HubError } from '../../sdk/errors.ts'

/** Ends a command with a message for the person who ran it, without a stack. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly exitCode: number = 1
}

/** Thrown when a command is called with arguments that it does not take. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
  override readonly exitCode = 2
}

/** Whether the person who ran a command can act on an error: its message is enough, and a stack would not help. */
export const isExpected = (error: unknown): error is CommandError | HubError =>
  error instanceof CommandError || error instanceof HubError
