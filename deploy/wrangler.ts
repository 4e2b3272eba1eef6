import { spawn } from 'node:child_process'
import path from 'node:path'
import { WranglerError } from './wrangler-error.ts'

/** Runs wrangler once. @returns What it prints. @throws {@link WranglerError} when it fails. */
export type Wrangler = (args: readonly string[], input?: string) => Promise<string>

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
        // The output is read by a program: it has no colours, and wrangler asks nobody.
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
      // One that ends before it has read its input says why.
      child.stdin.on('error', () => {})
      child.stdin.end(input ?? '')
    })
