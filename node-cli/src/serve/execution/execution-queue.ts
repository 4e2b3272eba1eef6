/**
 * The purpose of a run. Runs for rounds of tasks go before all others. Direct runs, which anybody may ask for, have one worker
 * at most, and a share of its time. A `state` change needs no worker: it only blocks runs that see storage.
 */
export type RunKind = 'round' | 'own' | 'direct' | 'state'

export interface QueuedRun {
  readonly kind: RunKind
  /** It may change storage, or see that of others: no other such run goes on at the same time. */
  readonly isExclusive: boolean
  readonly bytes: number
  /** Takes it out of the queue while it waits. */
  readonly signal: AbortSignal
}

export interface WaitingLimits {
  readonly waiting: number
  readonly waitingBytes: number
}

export interface QueueLimits extends WaitingLimits {
  readonly running: number
  /** Of direct runs, which fill no place of others. */
  readonly direct: WaitingLimits & {
    /** The share of one worker's time that they may take, above 0 and up to 1. */
    readonly share: number
  }
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

/** Executes runs up to its limits, keeps others waiting, runs of rounds first and each kind in order, and refuses the rest. */
export class ExecutionQueue {
  readonly #limits: QueueLimits
  readonly #waiting: Waiting[] = []
  #running = 0
  #exclusiveRuns = false
  #directRuns = false
  /** When the next direct run may begin, on the clock of this process. */
  #directRestsUntil = 0
  #restOver: NodeJS.Timeout | undefined
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

  async run<T>(queued: QueuedRun, work: () => Promise<T>): Promise<T> {
    await this.#turn(queued)
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#leave(queued, performance.now() - startedAt)
    }
  }

  /** Refuses all waiting and later runs, and resolves when no run is left. */
  close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restOver)
    for (const { refuse } of this.#waiting.splice(0)) refuse(new QueueFull('the node stops'))
    if (this.#isIdle()) return Promise.resolve()
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
    this.#requireRoom(queued)
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

  /** Direct runs and all others have rooms of their own, so that neither keeps the other out. */
  #requireRoom({ kind, bytes }: QueuedRun): void {
    const isDirect = kind === 'direct'
    const limits = isDirect ? this.#limits.direct : this.#limits
    const others = this.#waiting.filter((one) => (one.kind === 'direct') === isDirect)
    const bytesOfAll = others.reduce((sum, one) => sum + one.bytes, bytes)
    if (others.length >= limits.waiting || bytesOfAll > limits.waitingBytes)
      throw new QueueFull('the queue of executions is full')
  }

  #canStart({ kind, isExclusive }: QueuedRun): boolean {
    if (isExclusive && this.#exclusiveRuns) return false
    if (kind === 'state') return true
    if (this.#running >= this.#limits.running) return false
    return kind !== 'direct' || (!this.#directRuns && performance.now() >= this.#directRestsUntil)
  }

  #take({ kind, isExclusive }: QueuedRun): void {
    if (kind !== 'state') this.#running += 1
    if (isExclusive) this.#exclusiveRuns = true
    if (kind === 'direct') this.#directRuns = true
  }

  #leave({ kind, isExclusive }: QueuedRun, ms: number): void {
    if (kind !== 'state') this.#running -= 1
    if (isExclusive) this.#exclusiveRuns = false
    if (kind === 'direct') {
      this.#directRuns = false
      this.#rest(ms)
    }
    this.#startNext()
  }

  /** After a direct run, until direct runs have had no more than their share. */
  #rest(ms: number): void {
    const { share } = this.#limits.direct
    const restMs = (ms * (1 - share)) / share
    if (restMs <= 0) return
    this.#directRestsUntil = performance.now() + restMs
    if (this.#isClosed) return
    clearTimeout(this.#restOver)
    // A timer may come a moment early.
    this.#restOver = setTimeout(() => {
      this.#directRestsUntil = 0
      this.#startNext()
    }, restMs).unref()
  }

  #startNext(): void {
    for (let entry = this.#takeNext(); entry !== undefined; entry = this.#takeNext()) entry.start()
    if (this.#isIdle()) this.#whenIdle?.()
  }

  #takeNext(): Waiting | undefined {
    const next =
      this.#waiting.find((one) => one.kind === 'round' && this.#canStart(one)) ??
      this.#waiting.find((one) => this.#canStart(one))
    if (next === undefined) return undefined
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#take(next)
    return next
  }

  #isIdle(): boolean {
    return this.#running === 0 && !this.#exclusiveRuns
  }
}
