/** What a run in the queue is. */
export interface QueuedRun {
  /** It may change storage, or see that of others: no other such run goes on at the same time. */
  readonly isExclusive: boolean
  /** Memory it holds while it waits. */
  readonly bytes: number
  /** Takes it out of the queue while it waits. */
  readonly signal: AbortSignal
}

/** How much runs and waits at once. */
export interface QueueLimits {
  readonly running: number
  readonly waiting: number
  readonly waitingBytes: number
}

/** Thrown when the queue takes no more runs for the moment, or ever. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/** Thrown for a run whose caller went away before it began. */
export class RunAbandoned extends Error {
  override readonly name = 'RunAbandoned'
}

interface Waiting extends QueuedRun {
  readonly start: () => void
  readonly refuse: (reason: Error) => void
}

/** Runs so many at once, keeps so many waiting in order, and refuses the rest. */
export class ExecutionQueue {
  readonly #limits: QueueLimits
  readonly #waiting: Waiting[] = []
  #running = 0
  #exclusiveRuns = false
  #isClosed = false
  #whenIdle: (() => void) | undefined

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** @throws {@link QueueFull} {@link RunAbandoned} */
  async run<T>(queued: QueuedRun, work: () => Promise<T>): Promise<T> {
    await this.#turn(queued)
    try {
      return await work()
    } finally {
      this.#running -= 1
      if (queued.isExclusive) this.#exclusiveRuns = false
      this.#startNext()
    }
  }

  /** Refuses what waits and what comes, and resolves when nothing runs. */
  close(): Promise<void> {
    this.#isClosed = true
    for (const { refuse } of this.#waiting.splice(0)) refuse(new QueueFull('the node stops'))
    if (this.#running === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenIdle = resolve
    })
  }

  #turn(queued: QueuedRun): Promise<void> {
    if (this.#isClosed) throw new QueueFull('the node stops')
    if (queued.signal.aborted) throw new RunAbandoned()
    if (this.#canStart(queued)) {
      this.#take(queued)
      return Promise.resolve()
    }
    const bytes = this.#waiting.reduce((sum, one) => sum + one.bytes, queued.bytes)
    if (this.#waiting.length >= this.#limits.waiting || bytes > this.#limits.waitingBytes)
      throw new QueueFull('as many executions wait as may')
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1)
        reject(new RunAbandoned())
      }
      const done = (): void => queued.signal.removeEventListener('abort', leave)
      const entry: Waiting = {
        ...queued,
        start: () => {
          done()
          resolve()
        },
        refuse: (reason) => {
          done()
          reject(reason)
        },
      }
      queued.signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(entry)
    })
  }

  #canStart({ isExclusive }: QueuedRun): boolean {
    return this.#running < this.#limits.running && !(isExclusive && this.#exclusiveRuns)
  }

  #take({ isExclusive }: QueuedRun): void {
    this.#running += 1
    if (isExclusive) this.#exclusiveRuns = true
  }

  #startNext(): void {
    const next = this.#waiting.findIndex((one) => this.#canStart(one))
    if (next >= 0) {
      const [entry] = this.#waiting.splice(next, 1)
      this.#take(entry!)
      entry!.start()
    } else if (this.#running === 0) this.#whenIdle?.()
  }
}
