import { spawn } from 'node:child_process'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { CommandError } from '../scripts/command/errors.ts'

/** Runs wrangler once. @returns What it prints. @throws {@link WranglerError} when it fails. */
export type Wrangler = (args: readonly string[], input?: string) => Promise<string>

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
}

const program = path.join('node_modules', 'wrangler', 'bin', 'wrangler.js')

/** Divides the traffic of a Worker. @param parts - Each a version and its share, as `ID@100%`. */
export const giveTraffic = (
  wrangler: Wrangler,
  worker: string,
  parts: readonly string[],
  message: string,
): Promise<string> =>
  wrangler(['versions', 'deploy', ...parts, '--name', worker, '--message', message, '--yes'])

/** @param accountId - Of the account that everything is in. */
export const wranglerOf =
  (accountId: string): Wrangler =>
  (args, input) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], {
        // What is read from the answers is in no colour, and nobody is asked.
        env: {
          ...process.env,
          CLOUDFLARE_ACCOUNT_ID: accountId,
          CI: 'true',
          NO_COLOR: '1',
          WRANGLER_SEND_METRICS: 'false',
        },
      })
      const text = { out: '', all: '' }
      child.stdout.on('data', (bytes: Buffer) => {
        text.out += bytes
        text.all += bytes
      })
      child.stderr.on('data', (bytes: Buffer) => {
        text.all += bytes
      })
      child.on('error', reject)
      child.on('close', (code) =>
        code === 0
          ? resolve(text.out)
          : reject(
              new WranglerError(
                args.filter((arg) => !arg.startsWith('{')),
                text.all,
              ),
            ),
      )
      child.stdin.end(input ?? '')
    })
