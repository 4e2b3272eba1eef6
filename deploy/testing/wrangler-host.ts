/**
 * Wrangler itself, loaded once for many calls: each start of it takes more than a second of CPU, and a call of its local mode much less.
 * Prints its address, answers one call after another, and ends with its standard input.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire, registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Miniflare as Runtime, V4WorkerOptions } from 'miniflare'
import { readModules } from '../../scripts/bundle.ts'
import { convertV4MiniflareOptions, Miniflare } from '../../scripts/miniflare.ts'
import { captured } from '../../testing/captured.ts'
import { KeptRuntime } from './kept-runtimes.ts'

/** How a call ended, as its process would have shown it. */
export interface WranglerAnswer {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface WranglerCall {
  readonly args: readonly string[]
  readonly cwd: string
}

/** A Worker that was built, to be run on this machine. */
export interface BuiltWorker {
  /** The configuration of wrangler, beside which are its secrets. */
  readonly config: string
  /** Its modules, as wrangler uploads them. */
  readonly modules: string
  readonly statePath: string
  readonly cwd: string
}

interface LoadedWrangler {
  main: (args: string[]) => Promise<void>
  useRuntime: (runtime: unknown) => void
  unstable_getMiniflareWorkerOptions: (config: string) => { workerOptions: V4WorkerOptions; main: string }
}

const program = path.resolve(import.meta.dirname, '../../node_modules/wrangler/wrangler-dist/cli.js')
// Its file runs `main` only where it is the program of a process, and exports it to nobody.
const exported = `
exports.main = main
exports.useRuntime = (Miniflare) => { miniflare = { ...miniflare, Miniflare } }`
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    return url.endsWith('/wrangler-dist/cli.js')
      ? { ...loaded, source: `${loaded.source}${exported}` }
      : loaded
  },
})
const wrangler = createRequire(import.meta.url)(program) as LoadedWrangler
wrangler.useRuntime(KeptRuntime)

/** Runs a call of wrangler and captures its output, so that this process does not print it. */
async function run({ args, cwd }: WranglerCall): Promise<WranglerAnswer> {
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  const said = { stdout: '', stderr: '' }
  const status = await captured(
    (stream, text) => {
      said[stream] += text
    },
    () =>
      wrangler.main([...args]).then(
        () => Number(process.exitCode ?? 0),
        () => 1,
      ),
  )
  process.exitCode = 0
  return { status, ...said }
}

let worker: Runtime | undefined

/** Runs a Worker with the bindings that wrangler reads from its configuration, in the place of the one before. @returns Its address. */
async function start({ config, modules: folder, statePath, cwd }: BuiltWorker): Promise<string> {
  await worker?.dispose()
  process.chdir(cwd)
  const { workerOptions, main } = await captured(
    () => {},
    async () => wrangler.unstable_getMiniflareWorkerOptions(config),
  )
  const [first, ...others] = readModules(folder, path.basename(main))
  const { modulesRules: _, ...options } = workerOptions as V4WorkerOptions & { modulesRules: unknown }
  // For each module Miniflare copies all that it has written of those before.
  const modules = [first!, ...others.sort((a, b) => a.contents.length - b.contents.length)]
  worker = new Miniflare(
    convertV4MiniflareOptions({
      ...{ cf: false, resourcePersistencePath: path.resolve(statePath) },
      handleStructuredLogs: () => {},
      workers: [{ ...options, name: 'hub', modules }],
    }),
  )
  return (await worker.ready).origin
}

let turn: Promise<unknown> = Promise.resolve()
const server = createServer(async (request, response) => {
  const body = JSON.parse(await text(request))
  const answer = turn.then<unknown>(() => (request.url === '/worker' ? start(body) : run(body)))
  turn = answer.catch(() => {})
  await answer.then(
    (given) => response.end(JSON.stringify(given)),
    (error: Error) => response.writeHead(500).end(String(error.stack)),
  )
})
await once(server.listen(0, '127.0.0.1'), 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
process.stdin.resume().once('end', () => process.exit())
