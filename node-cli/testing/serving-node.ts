import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { dist } from './nodectl.ts'

/** What a node prints when it serves. */
export interface Announcement {
  node_id: string
  public_key: string
  url: string
  role: string
  network: string
  engine: string
  data_dir: string
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: Tests look into answers of every shape.
  json: any
}

export interface Call {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array | object
  /** Null sends none. */
  token?: string | null
}

/** A node that serves in a process of its own. */
export interface ServingNode extends Announcement {
  process: ChildProcess
  pid: number
  /** Lines of its log so far. */
  log: () => Record<string, unknown>[]
  call: (target: string, call?: Call) => Promise<Reply>
  /** Tells it to stop, and gives its exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
  /** Ends it at once, as a power cut would. */
  kill: () => Promise<void>
}

export const token = 'a token that only tests know'.replaceAll(' ', '-')

/** Starts a node of the built tool, on a port of the system's choice. It ends with the test at the latest. */
export async function startNode(
  dataDir: string,
  {
    bind = '127.0.0.1:0',
    flags = [],
    env = {},
  }: { bind?: string; flags?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<ServingNode> {
  const args = [path.join(dist, 'nodectl.mjs'), 'serve', '--bind', bind, '--data-dir', dataDir, ...flags]
  const child = spawn('node', args, {
    env: { ...process.env, NODE_API_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const lines = createInterface({ input: child.stdout })
  const announced = await Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line as string) as Announcement),
    ended.then(() => {
      throw new Error(`the node did not start: ${errors}`)
    }),
  ])
  return {
    ...announced,
    process: child,
    pid: child.pid!,
    log: () => errors.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])),
    call: (target, call) => callNode(announced.url, target, call),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const [code] = await ended
      return code as number | null
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** One request, sent exactly as it is told: no header is added but those that HTTP needs. */
export function callNode(
  url: string,
  target: string,
  { method = 'GET', headers = {}, body, token: bearer = token }: Call = {},
): Promise<Reply> {
  const isBytes = typeof body === 'string' || body instanceof Uint8Array
  const payload = body === undefined || isBytes ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        path: target,
        agent: false,
        headers: {
          ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && {
            'Content-Type':
              isBytes && typeof body !== 'string' ? 'application/octet-stream' : 'application/json',
            'Content-Length': String(Buffer.byteLength(payload as string)),
          }),
          ...headers,
        },
      },
      async (response) => {
        try {
          const text = await readText(response)
          const isJson = response.headers['content-type']?.startsWith('application/json') && text !== ''
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson ? JSON.parse(text) : null,
          })
        } catch (error) {
          reject(error)
        }
      },
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}
