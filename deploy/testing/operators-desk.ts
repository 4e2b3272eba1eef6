import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { TLSSocket } from 'node:tls'
import type { CommandAnswer } from '../../testing/command-host.ts'
import { loadedCommands } from '../../testing/loaded-commands.ts'
import type { Environment } from '../environment.ts'
import { environmentToml } from './environments.ts'
import { localWrangler, type StandInAnswer, type StandInCall } from './local-wrangler.ts'

const root = path.resolve('.')
/** A flag of commands only, not of the stand-in for wrangler: there it would load an HTTP client for each of hundreds of calls. */
const throughDomain = '--use-env-proxy'
export const wranglerPath = 'node_modules/wrangler/bin/wrangler.js'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Standard output and errors. */
  readonly said: string
}

export type Desk = ReturnType<typeof openDesk>

/**
 * The workplace of an operator: a folder like a clone, with the file of an environment and an account behind wrangler, and a domain that leads to
 * the hub. Commands run as processes of their own there.
 * @param hubPort - The port that the domain leads to; null while it leads nowhere.
 */
export function openDesk(environment: Environment, name: string, hubPort: () => Promise<number | null>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'desk-'))
  for (const entry of readdirSync('.'))
    if (!['node_modules', 'deploy', 'dist', '.git', '.wrangler', '.env', '.dev.vars'].includes(entry))
      symlinkSync(path.resolve(entry), path.join(folder, entry))
  mkdirSync(path.join(folder, 'deploy'))
  writeFileSync(path.join(folder, 'deploy', `${name}.toml`), environmentToml(environment))
  mkdirSync(path.join(folder, path.dirname(wranglerPath)), { recursive: true })
  const account = localWrangler(folder)
  const standIns = startStandIns(account.answer, path.join(folder, wranglerPath))
  const domain = startDomain(folder, hubPort)
  const environmentOf = async () => ({
    ...process.env,
    ...(await domain).env,
    LOCAL_WRANGLER: 'recorded',
    NODE_NO_WARNINGS: '1',
  })
  const loaded = loadedCommands(async () => ({
    cwd: folder,
    env: await environmentOf(),
    nodeArgs: [throughDomain],
  }))
  return {
    folder,
    account: account.held,
    keepAccount: account.keep,
    /** Runs a program of the repository. @param until - The end of the output at which to end a program that goes on by itself. */
    async run(
      [script, ...args]: readonly [string, ...string[]],
      env: Record<string, string> = {},
      until?: string,
    ): Promise<Ended> {
      await standIns
      const program =
        script === 'wrangler' ? [path.join(folder, wranglerPath)] : [throughDomain, path.join(root, script)]
      const child = spawn(process.execPath, [...program, ...args], {
        cwd: folder,
        env: { ...(await environmentOf()), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      for (const output of [child.stdout, child.stderr])
        output.on('data', (text) => {
          said += text
          if (until !== undefined && said.endsWith(until)) child.kill()
        })
      const [code, signal] = await once(child, 'close')
      return { code, signal, said }
    },
    /** Runs a command in the process that loaded the earlier ones, one at a time, and returns what its own process would. */
    async runLoaded(
      [script, ...args]: readonly [string, ...string[]],
      env: Record<string, string> = {},
      until?: string,
    ): Promise<CommandAnswer> {
      await standIns
      return loaded.run(script, args, env, until)
    },
    async close() {
      await loaded.close()
      await (await domain).close()
      await (await standIns).close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Replaces wrangler with a program that asks this process what to print, and whether to end its caller. */
async function startStandIns(answer: (call: StandInCall) => Promise<StandInAnswer>, program: string) {
  const server = createTcpServer({ allowHalfOpen: true }, async (socket) => {
    const call = JSON.parse(await text(socket)) as StandInCall
    const failed = (error: Error) => ({ stdout: '', stderr: String(error.stack), code: 1, kills: false })
    socket.end(JSON.stringify(await answer(call).catch(failed)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  writeFileSync(program, standIn((server.address() as AddressInfo).port))
  return { close: () => new Promise((resolve) => server.close(resolve)) }
}

/** Without modules of its own, which would take longer than Node itself. */
const standIn = (port: number): string => `
const { LOCAL_WRANGLER: mode, LOCAL_WRANGLER_SHARED: shared } = process.env
const args = process.argv.slice(2)
const input = args[1] === 'bulk' ? require('node:fs').readFileSync(0, 'utf8') : ''
const socket = require('node:net').connect(${port}, '127.0.0.1')
let answer = ''
socket.setEncoding('utf8').on('data', (part) => (answer += part)).on('end', () => {
  const { stdout, stderr, code, kills } = JSON.parse(answer)
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = code
  if (kills) process.kill(process.ppid, 'SIGKILL')
})
socket.end(JSON.stringify({ args, input, mode, shared }))
`

/** The way to the hub, as the internet is for a deployed one: its name, and a certificate for it. */
async function startDomain(folder: string, hubPort: () => Promise<number | null>) {
  const [keyFile, certificateFile] = ['key.pem', 'certificate.pem'].map((file) => path.join(folder, file))
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hub.example.org'
  // The second name is that of a version without a domain.
  const alternative = 'subjectAltName=DNS:hub.example.org,DNS:*.account.workers.dev'
  execFileSync('openssl', [
    ...request.split(' '),
    ...['-addext', alternative, '-keyout', keyFile!, '-out', certificateFile!],
  ])
  const credentials = { key: readFileSync(keyFile!), cert: readFileSync(certificateFile!) }
  const proxy = createServer()
  proxy.on('connect', async (_, socket) => {
    // A caller would wait for minutes for what never comes.
    const port = await hubPort().catch((error: unknown) => {
      console.error('The hub did not start:', error)
      return null
    })
    if (port === null) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    const [outside, inside] = [
      new TLSSocket(socket, { isServer: true, ...credentials }),
      connect(port, '127.0.0.1'),
    ]
    outside.pipe(inside).pipe(outside)
    for (const side of [outside, inside])
      side.on('error', () => [outside, inside].map((one) => one.destroy()))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_EXTRA_CA_CERTS: certificateFile!,
    },
    async close() {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}
