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

const program = path.resolve(import.meta.dirname, '../../node_modules/wrangler/wrangler-dist/cli.js')
// Its file runs `main` only where it is the program of a process, and exports it to nobody.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    return url.endsWith('/wrangler-dist/cli.js')
      ? { ...loaded, source: `${loaded.source}\nexports.main = main` }
      : loaded
  },
})
const { main } = createRequire(import.meta.url)(program) as { main: (args: string[]) => Promise<void> }

/** Runs it with what it writes in the place of what this process writes. */
async function run({ args, cwd }: WranglerCall): Promise<WranglerAnswer> {
  const said = { stdout: '', stderr: '' }
  const streams = ['stdout', 'stderr'] as const
  const writes = streams.map((name) => process[name].write)
  for (const name of streams)
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }) as typeof process.stdout.write
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  try {
    const status = await main([...args]).then(
      () => Number(process.exitCode ?? 0),
      () => 1,
    )
    return { status, ...said }
  } finally {
    process.exitCode = 0
    for (const [i, name] of streams.entries()) process[name].write = writes[i]!
  }
}

let turn: Promise<unknown> = Promise.resolve()
const server = createServer(async (request, response) => {
  const call = JSON.parse(await text(request)) as WranglerCall
  const answer = turn.then(() => run(call))
  turn = answer
  response.end(JSON.stringify(await answer))
})
await once(server.listen(0, '127.0.0.1'), 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
process.stdin.resume().once('end', () => process.exit())
