/** Real functions, kept before a simulation replaces them. */
const { setImmediate } = globalThis
const realNow = Date.now

/** As many as that are set at once: a turn of the event loop takes longer than most events. */
const turnsMax = 200

/** Runs something again and again, until it says that it is over, each time after all promises have settled. */
function inTurns(run: () => boolean): void {
  let isOver = false
  const turn = () => {
    isOver ||= !run()
  }
  const turns = () => {
    if (isOver) return
    for (let index = 0; index < turnsMax; index++) setImmediate(turn)
    setImmediate(turns)
  }
  turns()
}

interface Event {
  readonly atMs: number
  /** Events of one moment happen in the order in which they were scheduled. */
  readonly order: number
  readonly run: () => void
  isOff: boolean
}

/**
 * The clock and the timers of a simulated network. Time stands still while code runs, and leaps to the next event when all
 * promises have settled, so an hour takes as long as what happens in it.
 */
export class VirtualTime {
  #nowMs: number
  #events = 0
  #scheduled = 0
  readonly #heap: Event[] = []

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Events so far. */
  get events(): number {
    return this.#events
  }

  /** Runs something after `ms` milliseconds. @returns A function that cancels it. */
  after(ms: number, run: () => void): () => void {
    const event = { atMs: this.#nowMs + Math.max(0, ms), order: this.#scheduled++, run, isOff: false }
    this.#push(event)
    return () => {
      event.isOff = true
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve))
  }

  /** Runs event after event until something is so, or the time has come. @returns Whether it was so. */
  runUntil(isSo: () => boolean, limitMs: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    inTurns(() => {
      try {
        const isDone = this.#step(isSo, limitMs)
        if (isDone !== null) resolve(isDone)
        return isDone === null
      } catch (error) {
        reject(error)
        return false
      }
    })
    return promise
  }

  /** Runs the next event. @returns Whether it was so before, or the time has come; null while neither is. */
  #step(isSo: () => boolean, limitMs: number): boolean | null {
    if (isSo()) return true
    for (;;) {
      if ((this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY) > limitMs) {
        this.#nowMs = Math.max(this.#nowMs, limitMs)
        return false
      }
      const event = this.#pop()!
      if (event.isOff) continue
      this.#nowMs = event.atMs
      this.#events += 1
      event.run()
      return null
    }
  }

  /** Has the code of this process read this clock, and set its timers here. @returns A function that puts the real ones back. */
  install(): () => void {
    const kept = { setTimeout, clearTimeout }
    const off = new WeakMap<object, () => void>()
    Date.now = () => this.#nowMs
    const set = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const timer = {}
      off.set(
        timer,
        this.after(ms, () => unlessGone(() => run(...args))),
      )
      return timer
    }
    Object.assign(globalThis, {
      setTimeout: set,
      clearTimeout: (timer?: object) => timer && off.get(timer)?.(),
    })
    return () => {
      Date.now = realNow
      Object.assign(globalThis, kept)
    }
  }

  #push(event: Event): void {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBefore(heap[parent]!, event)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = event
  }

  #pop(): Event | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) break
      const right = left + 1
      const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left
      if (isBefore(last, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

const isBefore = (one: Event, other: Event): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)

/** A timer that an object set ends with its process. */
function unlessGone(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'Gone')) throw error
  }
}
