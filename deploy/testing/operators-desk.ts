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
import { TLSSocket } from 'node:tls'
import type { CommandAnswer } from '../../testing/command-host.ts'
import { loadedCommands } from '../../testing/loaded-commands.ts'
import type { Environment } from '../environment.ts'
import { environmentToml } from './environments.ts'
import { localWrangler, type StandInAnswer, type StandInCall } from './local-wrangler.ts'

const root = path.resolve('.')
const wranglerPath = 'node_modules/wrangler/bin/wrangler.js'

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
  const account = localWrangler(folder)
  const standIn = path.join(folder, 'node')
  const standIns = startStandIns(account.answer, standIn)
  /** Commands reach the domain through its proxy, and start the stand-in as their Node. */
  const nodeArgs = [
    ...['--use-env-proxy', '--import'],
    `data:text/javascript,${encodeURIComponent(`process.execPath = ${JSON.stringify(standIn)}`)}`,
  ]
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
    nodeArgs,
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
      const [program, first] =
        script === 'wrangler'
          ? [standIn, [wranglerPath]]
          : [process.execPath, [...nodeArgs, path.join(root, script)]]
      const child = spawn(program, [...first, ...args], {
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

/** Writes a program that is Node, but for wrangler: of that it asks this process what to print, and whether to end its caller. */
async function startStandIns(answer: (call: StandInCall) => Promise<StandInAnswer>, program: string) {
  const server = createTcpServer((socket) => {
    let asked = ''
    socket.setEncoding('utf8').on('data', async (part) => {
      asked += part
      if (!asked.endsWith(endOfCall)) return
      const [mode = '', shared = '', input = '', ...args] = asked.slice(0, -endOfCall.length).split('\0')
      const failed = (error: Error) => ({ said: String(error.stack), code: 1, kills: false })
      const { code, kills, said } = await answer({ mode, shared, input, args }).catch(failed)
      socket.end(`${code} ${kills}\n${said}`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  writeFileSync(program, standInFor((server.address() as AddressInfo).port), { mode: 0o755 })
  return { close: () => new Promise((resolve) => server.close(resolve)) }
}

const endOfCall = '\0end of call\0'

/** In the language of a shell: Node takes ten times as long to start, and there are hundreds of calls. */
const standInFor = (port: number): string => `#!/usr/bin/env bash
[ "$1" = ${wranglerPath} ] || exec '${process.execPath}' "$@"
shift
[ "$2" = bulk ] && input=$(cat)
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$LOCAL_WRANGLER" "$LOCAL_WRANGLER_SHARED" "$input" "$@" 'end of call' >&3
read -r code kills <&3
if [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi
[ "$kills" = true ] && kill -KILL $PPID
exit "$code"
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
