/** Further lines of an error. */
interface More {
  /** How to fix the error, on a separate line below it. */
  readonly hint?: string
  /** Output of another program, with its line breaks. */
  readonly output?: string
}

/** Refused or failed: an `Error:` line on stderr, exit code 1. The message is one line. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly code: string
  readonly hint: string | undefined
  readonly output: string | undefined

  constructor(code: string, message: string, { hint, output }: More = {}) {
    super(message)
    this.code = code
    this.hint = hint
    this.output = output
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
