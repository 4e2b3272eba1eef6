import { Worker } from 'node:worker_threads'
import type { Profile } from '../../../../protocol/identity/index.ts'
import type { JobName, Jobs } from './jobs.ts'
import { isShort } from './short-job.ts'

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

/** Short jobs that the calling thread does within a second: a tenth of it at most, so that a busy node answers as fast as ever. */
const shortMax = 8
const shortMs = 1000

/**
 * Runs jobs one after the other in a thread of its own, which starts with the first long job, and ends after a while without
 * jobs. While the thread does not run, the caller's thread does the short jobs, as long as they are few: to start and keep a
 * thread would cost more than all of them.
 */
export class BackgroundThread {
  #worker: Worker | undefined
  #lastId = 0
  #clock: NodeJS.Timeout | undefined
  #jobs: Promise<Jobs> | undefined
  /** The short jobs of the second that began at `since`. */
  #short = { since: Number.NEGATIVE_INFINITY, count: 0 }
  readonly #idleMs: number
  readonly #pending = new Map<number, Pending>()

  readonly #profile: Profile

  /** @param profile The names in the documents that the jobs sign and hash. */
  constructor(profile: Profile, idleMs = idleMsMax) {
    this.#profile = profile
    this.#idleMs = idleMs
  }

  run<Name extends JobName>(name: Name, ...input: Parameters<Jobs[Name]>): Promise<ReturnType<Jobs[Name]>> {
    return this.#runWhere(null, name, input)
  }

  /** The same for a job that reads more than it is given. @param bytes How much; infinite if that is unknown. */
  runReading<Name extends JobName>(
    bytes: number,
    name: Name,
    ...input: Parameters<Jobs[Name]>
  ): Promise<ReturnType<Jobs[Name]>> {
    return this.#runWhere(bytes, name, input)
  }

  async close(): Promise<void> {
    clearTimeout(this.#clock)
    await this.#worker?.terminate()
  }

  #runWhere<Name extends JobName>(
    readBytes: number | null,
    name: Name,
    input: Parameters<Jobs[Name]>,
  ): Promise<ReturnType<Jobs[Name]>> {
    const isHere = this.#worker === undefined && isShort(name, input, readBytes) && this.#mayDoShort()
    return isHere ? this.#runHere(name, input) : this.#runInThread(name, input)
  }

  #mayDoShort(): boolean {
    const now = performance.now()
    if (now - this.#short.since >= shortMs) this.#short = { since: now, count: 0 }
    this.#short.count += 1
    return this.#short.count <= shortMax
  }

  async #runHere<Name extends JobName>(
    name: Name,
    input: Parameters<Jobs[Name]>,
  ): Promise<ReturnType<Jobs[Name]>> {
    this.#jobs ??= import('./jobs.ts').then(({ createJobs }) => createJobs(this.#profile))
    return Reflect.apply((await this.#jobs)[name], null, input) as ReturnType<Jobs[Name]>
  }

  #runInThread<Name extends JobName>(
    name: Name,
    input: Parameters<Jobs[Name]>,
  ): Promise<ReturnType<Jobs[Name]>> {
    clearTimeout(this.#clock)
    this.#worker ??= this.#start()
    this.#worker.ref()
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      this.#worker?.postMessage({ id, name, input } satisfies JobMessage)
    })
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
