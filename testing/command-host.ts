/**
 * A process that runs one command of the repository after another, which it loads once: to load one takes most of its time. Each call comes
 * and is answered as a message; it ends with its parent.
 */
import { flushCompileCache, syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { captured } from './captured.ts'

export interface CommandCall {
  /** The file of the command. */
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Of a command that goes on by itself: it is ended once its output ends with this. */
  readonly until?: string | undefined
}

export interface CommandAnswer {
  /** Null if it was ended. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Both outputs, in the order in which they were written. */
  readonly said: string
}

/** Node keeps the dispatcher of its requests under this key, from the first one on; each command gets a new one, without earlier connections. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1')
interface Dispatcher {
  destroy: () => Promise<void>
  constructor: new () => Dispatcher
}
const dispatchers = globalThis as unknown as Record<symbol, Dispatcher | undefined>

const own = { ...process.env }
// Each command waits for an error of it.
process.stdout.setMaxListeners(0)

/** Ends the command that runs where it waits, as a signal ends its process. */
let ending = new AbortController()
const { setTimeout } = timers
timers.setTimeout = (ms, value, options) => setTimeout(ms, value, { signal: ending.signal, ...options })
syncBuiltinESMExports()

/** The streams of this process. */
const ofHost = ['PipeWrap', 'TTYWrap']
/** Waits until nothing is left of a command: while something is, its own process would go on. */
async function allEnded(): Promise<void> {
  while (process.getActiveResourcesInfo().some((kind) => !ofHost.includes(kind))) await setTimeout(1)
}

async function run({ program, args, env, until }: CommandCall, index: number): Promise<CommandAnswer> {
  process.argv = [process.execPath, program, ...args]
  process.env = { ...own, ...env }
  process.exitCode = undefined
  ending = new AbortController()
  const { signal } = ending
  const answer = { stdout: '', stderr: '', said: '' }
  await captured(
    (stream, text) => {
      if (signal.aborted) return
      answer[stream] += text
      answer.said += text
      if (until !== undefined && answer.said.endsWith(until)) ending.abort()
    },
    // A command runs as its file is loaded; a file of another address is another module.
    () => import(`${pathToFileURL(program)}?${index}`),
  )
  const code = signal.aborted ? null : Number(process.exitCode ?? 0)
  process.exitCode = undefined
  // For those that run in processes of their own and are killed, which keep nothing.
  flushCompileCache()
  const before = dispatchers[dispatcherKey]
  if (before !== undefined) {
    dispatchers[dispatcherKey] = new before.constructor()
    await before.destroy()
  }
  await allEnded()
  return { code, ...answer }
}

let calls = 0
let turn: Promise<unknown> = Promise.resolve()
process.on('message', (call: CommandCall) => {
  turn = turn.then(async () => process.send!(await run(call, ++calls)))
})
process.once('disconnect', () => process.exit())
