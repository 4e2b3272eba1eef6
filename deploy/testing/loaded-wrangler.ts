import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { BuiltWorker } from './wrangler-host.ts'

let loaded: Promise<string> | undefined

/** The address of the wrangler that this process has loaded, see `wrangler-host.ts`. It ends with this process. */
export function loadedWrangler(): Promise<string> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<string> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'wrangler-host.ts')], {
    env: {
      ...process.env,
      // The output is read by a program: it has no colours, and wrangler asks nobody.
      ...{ CI: 'true', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
      // Unlike programs in folders of tests, wrangler is run again: what compiling it gave is kept.
      NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/node'),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`wrangler could not be loaded: exit code ${code}`)
  })
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  ended.catch(() => {})
  child.unref()
  for (const pipe of [child.stdin, child.stdout] as unknown as Socket[]) pipe.unref()
  return url
}

/** Runs a Worker where wrangler is loaded, until another one runs there. @returns Its address. */
export async function runWorker(built: BuiltWorker): Promise<URL> {
  const response = await fetch(new URL('/worker', await loadedWrangler()), {
    method: 'POST',
    body: JSON.stringify(built),
  })
  if (!response.ok) throw new Error(`The Worker did not start: ${await response.text()}`)
  return new URL((await response.json()) as string)
}
