import { Worker } from 'node:worker_threads'
import type { Profile } from '../../../../protocol/identity/index.ts'
import type { JobName, Jobs } from './jobs.ts'

export interface JobMessage {
  readonly id: number
  readonly name: JobName
  readonly input: readonly unknown[]
}

export type JobAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Error }

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** A thread takes some ten megabytes, and starts in tens of milliseconds. */
const idleMsMax = 60_000

/** Runs jobs one after the other in a thread of its own, which starts with the first job, and ends after a while without one. */
export class BackgroundThread {
  #worker: Worker | undefined
  #lastId = 0
  #clock: NodeJS.Timeout | undefined
  readonly #idleMs: number
  readonly #pending = new Map<number, Pending>()

  readonly #profile: Profile

  /** @param profile the names in what it signs and hashes. */
  constructor(profile: Profile, idleMs = idleMsMax) {
    this.#profile = profile
    this.#idleMs = idleMs
  }

  run<Name extends JobName>(name: Name, ...input: Parameters<Jobs[Name]>): Promise<ReturnType<Jobs[Name]>> {
    clearTimeout(this.#clock)
    this.#worker ??= this.#start()
    this.#worker.ref()
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      this.#worker?.postMessage({ id, name, input } satisfies JobMessage)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#clock)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    // From the sources the worker is a .ts file, in the published package it lies beside the other bundles.
    const file = import.meta.url.endsWith('.ts') ? './background-worker.ts' : './background-worker.mjs'
    const worker = new Worker(new URL(file, import.meta.url), { workerData: this.#profile })
    worker.on('message', (answer: JobAnswer) => this.#hear(answer))
    const end = (error: Error) => {
      // A thread that ended for want of jobs may have a successor, which has jobs.
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const { reject } of this.#pending.values()) reject(error)
      this.#pending.clear()
    }
    worker.on('error', end)
    worker.on('exit', () => end(new Error('the background thread ended')))
    return worker
  }

  #rest(): void {
    this.#worker?.unref()
    this.#clock = setTimeout(() => {
      const worker = this.#worker
      this.#worker = undefined
      void worker?.terminate()
    }, this.#idleMs).unref()
  }

  #hear(answer: JobAnswer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    // A thread that has nothing to do keeps no process alive.
    if (this.#pending.size === 0) this.#rest()
    if ('error' in answer) pending?.reject(answer.error)
    else pending?.resolve(answer.result)
  }
}
