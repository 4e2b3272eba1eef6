import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'

/** The record that a node prints when it serves. */
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

/** A node that serves. */
export interface ServingNode extends Announcement {
  /** Lines of its log so far. */
  log: () => Record<string, unknown>[]
  call: (target: string, call?: Call) => Promise<Reply>
  /** Tells it to stop, and waits until it has. */
  stop: () => Promise<unknown>
}

/** A node that serves in a process of its own. */
export interface NodeProcess extends ServingNode {
  pid: number
  /** Tells it to stop, and gives its exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
  /** Ends it at once, as a power cut would. */
  kill: () => Promise<void>
}

export const token = 'a token that only tests know'.replaceAll(' ', '-')

export interface StartOptions {
  bind?: string
  flags?: string[]
  env?: NodeJS.ProcessEnv
  /** Flags of Node itself. */
  nodeFlags?: readonly string[]
}

/** The process of a node that may not serve yet. */
export interface StartingNode {
  process: ChildProcess
  /** Rejects when the process ends before it serves. */
  serving: Promise<NodeProcess>
  /** Ends it at once, as a power cut would. */
  kill: () => Promise<void>
}

/** Starts a node of the built tool, on a port of the system's choice. */
export function startNodeProcess(
  dist: string,
  dataDir: string,
  { bind = '127.0.0.1:0', flags = [], env = {}, nodeFlags = [] }: StartOptions = {},
): StartingNode {
  const serve = ['serve', '--bind', bind, '--data-dir', dataDir, ...flags]
  const args = [...nodeFlags, path.join(dist, 'nodectl.mjs'), ...serve]
  const child = spawn('node', args, {
    env: { ...process.env, NODE_API_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  // A run of tests that is ended leaves no node behind.
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  ended.then(() => process.off('exit', killAtExit))
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const lines = createInterface({ input: child.stdout })
  const announced = Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line as string) as Announcement),
    ended.then(() => {
      throw new Error(`the node did not start: ${errors}`)
    }),
  ])
  const serving = announced.then((announcement) => ({
    ...announcement,
    pid: child.pid!,
    log: () => errors.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])),
    call: (target: string, call?: Call) => callNode(announcement.url, target, call),
    stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      const [code] = await ended
      return code as number | null
    },
    kill,
  }))
  return { process: child, serving, kill }
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
