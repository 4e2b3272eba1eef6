import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { resolveProfile, signRequest } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import type { Call } from '../../scripts/site/document.ts'
import { clientName, withNames } from '../../scripts/site/names.ts'
import { samplesOf } from '../../scripts/site/samples.ts'
import type { Given } from './given.ts'

/**
 * Runs each program and each command that it is told, with its environment, and prints what came of it. A small process
 * starts a command far sooner than that of the tests, whose memory is mapped for each. Bash would take the pipe of its input
 * for a connection from far away, and read the files of its user first, which may take long.
 */
const program = `
import { execFile } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
const run = promisify(execFile)
for await (const line of createInterface({ input: process.stdin })) {
  const { file, command, env } = JSON.parse(line)
  Object.assign(process.env, env)
  const said = await (file ? import(file) : run('bash', ['--norc', '-c', command])).then(
    () => ({ ok: true }),
    ({ code, message, stdout, stderr }) => ({ ok: false, code, message: stdout || stderr || message }),
  )
  console.log(JSON.stringify(said))
}
`

interface Said {
  readonly ok: boolean
  readonly code?: string
  readonly message?: string
}

const profile = resolveProfile()

/** Runs samples of the reference in a project that has installed the client, one after the other. */
export class SampleRunner {
  readonly #hub: string
  /** Within the project, so that runners leave the files of each other alone. */
  readonly #folder: string
  readonly #now: () => Promise<number>
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  #count = 0

  /** @param now the time of the hub. */
  constructor(hub: string, project: string, env: NodeJS.ProcessEnv, now: () => Promise<number>) {
    this.#hub = hub
    this.#folder = mkdtempSync(path.join(project, 'samples-'))
    this.#now = now
    writeFileSync(path.join(this.#folder, 'samples.js'), program)
    this.#child = spawn('node', ['samples.js'], {
      cwd: this.#folder,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]()
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.stdin!.end()
    await ended
  }

  /** @returns The error of the sample; null if the hub answered as the reference says. */
  async typescript(call: Call, given: Given): Promise<string | null> {
    const { typescript } = this.#samples(call, given)
    if (typescript === undefined) return null
    const file = `./sample-${this.#count++}.js`
    writeFileSync(path.join(this.#folder, file), typescript)
    const env = { TOKEN: given.token ?? '', NODE_KEY: given.key?.slice(2) ?? '' }
    const { ok, code, message } = await this.#run({ file, env })
    return judge(given, ok ? null : (code ?? 'failed'), message)
  }

  /** @returns The error of the sample; null if the hub answered as the reference says. */
  async curl(call: Call, given: Given): Promise<string | null> {
    const { curl } = this.#samples(call, given)
    const env = {
      TOKEN: given.token ?? '',
      ...(given.key !== undefined && (await this.#signature(call, given, curl))),
    }
    // Also where it writes a file.
    const command = curl.replace('curl -s', 'curl -s --fail-with-body').replace(/-o \S+$/, '')
    const { ok, message = '' } = await this.#run({ command, env })
    if (ok || (given.prints !== undefined && message.includes(given.prints))) return judge(given, null)
    return judge(given, /"error":"(\w+)"/.exec(message)?.[1] ?? 'failed', message)
  }

  async #run(sample: { file?: string; command?: string; env: NodeJS.ProcessEnv }): Promise<Said> {
    this.#child.stdin!.write(`${JSON.stringify(sample)}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the process that runs samples ended')
    return JSON.parse(value)
  }

  #samples(call: Call, given: Given) {
    if (given.file !== undefined) writeFileSync(path.join(this.#folder, 'module.hbc'), given.file)
    if (given.body !== undefined)
      writeFileSync(path.join(this.#folder, 'body.json'), JSON.stringify(given.body))
    const { curl, typescript } = samplesOf(clientName, call, given)
    const forHub = (text: string) => withNames(text).replaceAll('https://hub.invalid', this.#hub)
    return { curl: forHub(curl), ...(typescript && { typescript: forHub(typescript) }) }
  }

  /** The variables of the headers that the page about signatures describes. */
  async #signature(call: Call, { key: seed = '', body }: Given, curl: string): Promise<NodeJS.ProcessEnv> {
    const [, url = ''] = /'(http[^']*)'/.exec(curl) ?? []
    const { pathname, search } = new URL(url)
    const [, shown = ''] = /-d '([^']*)'/.exec(curl) ?? []
    const { headers } = signRequest(profile, seed, {
      method: call.method,
      target: pathname + search,
      body: curl.includes('@body.json') ? JSON.stringify(body) : shown,
      timestamp: await this.#now(),
      nonce: crypto.randomUUID().replaceAll('-', ''),
    })
    const named = (end: string) =>
      Object.entries(headers).find(([name]) => name.toLowerCase().endsWith(end))?.[1]
    return {
      NODE: named('-node'),
      PUBLIC_KEY: ed25519PublicKey(seed),
      TIMESTAMP: named('-timestamp'),
      NONCE: named('-nonce'),
      SIGNATURE: named('-signature'),
    }
  }
}

function judge({ refused }: Given, error: string | null, message = ''): string | null {
  return error === null || error === refused ? null : `${error}: ${message}`
}
