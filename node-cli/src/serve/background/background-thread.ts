import { Worker } from 'node:worker_threads'
import type { TaskAnswer, TaskMessage } from './messages.ts'
import type { TaskName, Tasks } from './tasks.ts'

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Runs tasks one after the other in a thread of its own, which starts with the first one. */
export class BackgroundThread {
  #worker: Worker | undefined
  #lastId = 0
  readonly #pending = new Map<number, Pending>()

  run<Name extends TaskName>(
    name: Name,
    input: Parameters<Tasks[Name]>[0],
  ): Promise<ReturnType<Tasks[Name]>> {
    this.#worker ??= this.#start()
    this.#worker.ref()
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      this.#worker?.postMessage({ id, name, input } satisfies TaskMessage)
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    // From the sources the worker is a .ts file, in the published package it lies beside the other bundles.
    const file = import.meta.url.endsWith('.ts') ? './background-worker.ts' : './background-worker.mjs'
    const worker = new Worker(new URL(file, import.meta.url))
    worker.on('message', (answer: TaskAnswer) => this.#hear(answer))
    const end = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined
      for (const { reject } of this.#pending.values()) reject(error)
      this.#pending.clear()
    }
    worker.on('error', end)
    worker.on('exit', () => end(new Error('the background thread ended')))
    return worker
  }

  #hear(answer: TaskAnswer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    // A thread that has nothing to do keeps no process alive.
    if (this.#pending.size === 0) this.#worker?.unref()
    if ('error' in answer) pending?.reject(answer.error)
    else pending?.resolve(answer.result)
  }
}
