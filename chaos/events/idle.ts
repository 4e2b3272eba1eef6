import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { build } from 'esbuild'
import type { Said } from './holder.ts'

/** The event that all idle followers get, once. */
export const idleType = 'project.delisted'

/** The text of the Worker that holds idle followers. */
export async function bundleHolder(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'holder.ts')],
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'browser'],
    target: 'es2024',
    external: ['node:*'],
    write: false,
  })
  return outputFiles[0]!.text
}

/** Has the Worker at `url` hold `count` followers, and counts how often each of them has seen its event. */
export async function holdIdle(
  url: URL,
  count: number,
  { signal, problem }: { signal: AbortSignal; problem: (text: string) => void },
) {
  const seen = new Array<number>(count).fill(0)
  if (count === 0) return { seen }
  const { body } = await fetch(new URL(`?count=${count}&type=${idleType}`, url), { signal })
  const { promise: open, resolve, reject } = Promise.withResolvers<void>()
  const read = async () => {
    for await (const line of createInterface({ input: Readable.fromWeb(body as never) })) {
      const said = JSON.parse(line) as Said
      if ('open' in said) resolve()
      else if ('seen' in said) seen[said.seen]! += 1
      else problem(said.ended)
    }
    throw new Error('The Worker that holds idle followers has ended.')
  }
  read().catch((error) => {
    if (signal.aborted) return
    problem(String(error))
    reject(error)
  })
  await open
  return { seen }
}
