/** Loaded into a node before its own code by {@link movableTime}: at a signal, ten seconds pass for what waits in it. */
import { isMainThread } from 'node:worker_threads'

const passMs = 10_000
const { setTimeout: start, clearTimeout: clear } = globalThis
const waiting = new Map<unknown, { readonly dueAt: number; readonly run: () => void }>()

if (isMainThread) {
  globalThis.setTimeout = ((callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const run = () => {
      waiting.delete(timer)
      callback(...args)
    }
    const timer = start(run, ms)
    waiting.set(timer, { dueAt: performance.now() + ms, run })
    return timer
  }) as typeof setTimeout
  globalThis.clearTimeout = (timer) => {
    waiting.delete(timer)
    clear(timer)
  }
  process.on('SIGUSR2', () => {
    for (const [timer, { dueAt, run }] of [...waiting].sort(([, a], [, b]) => a.dueAt - b.dueAt)) {
      if (dueAt > performance.now() + passMs || !waiting.has(timer)) continue
      clear(timer as NodeJS.Timeout)
      run()
    }
  })
}
