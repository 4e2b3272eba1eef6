/** Refused or failed: an `Error:` line on stderr, exit code 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly code: string
  /** What helps to mend it, on a line of its own below. */
  readonly hint: string | undefined

  constructor(code: string, message: string, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** Called in a wrong way: the line and a pointer to the help, exit code 2. */
export class UsageError extends CliError {
  override readonly name = 'UsageError'

  constructor(message: string) {
    super('usage', message)
  }
}

export const exitCodes = { done: 0, failed: 1, usage: 2, bug: 70 } as const
