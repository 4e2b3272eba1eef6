/** The outgoing connections of one invocation: those beyond the limit wait until one of the others has its answer. */
export class Connections {
  readonly #max: number
  #open = 0
  readonly #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#max = max
  }

  async through<T>(run: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    if (this.#open >= this.#max && !(await this.#turn(signal))) return run()
    this.#open += 1
    try {
      return await run()
    } finally {
      this.#open -= 1
      this.#waiting.shift()?.()
    }
  }

  /** Whether its turn has come; one that is given up meanwhile needs no connection. */
  #turn(signal: AbortSignal | null | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const turn = () => {
        signal?.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        resolve(false)
      }
      if (signal?.aborted) return resolve(false)
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(turn)
    })
  }
}
