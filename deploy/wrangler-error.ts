import { stripVTControlCharacters } from 'node:util'
import { CommandError } from '../scripts/command/errors.ts'

export class WranglerError extends CommandError {
  override readonly name = 'WranglerError'
  readonly output: string

  constructor(args: readonly string[], output: string) {
    const said = stripVTControlCharacters(output).trim()
    super(
      /necessary to set a CLOUDFLARE_API_TOKEN/.test(said)
        ? 'wrangler is not logged in: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.'
        : `\`wrangler ${args.join(' ')}\` failed:\n${said}`,
    )
    this.output = output
  }

  /** Whether the account does not have what was asked for. */
  get isAbsence(): boolean {
    return /\[code: (10006|10007|10090|11000)\]|Queue ".+" does not exist/i.test(this.output)
  }

  /** Whether a bucket was to be deleted that has something. */
  get isNotEmpty(): boolean {
    return /\[code: 10008\]/.test(this.output)
  }

  /** Whether a version was to have traffic that has other secrets than the newest one. */
  get isSecretChanged(): boolean {
    return /\[code: 10220\]/.test(this.output)
  }

  /** Whether the running Worker could not be changed, because a newer version of it has no traffic. */
  get isNewestIdle(): boolean {
    return /\[code: 1021[45]\]|the latest version of your Worker isn't currently deployed/.test(this.output)
  }
}
