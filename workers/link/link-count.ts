import { inTime } from '../deadline.ts'

/** For so long a count serves: it says how far nodes spread their return, which need not be exact. */
const keptMs = 300_000
const answerMsMax = 1_000

/** How many links there are, for one trip to the database in a while and isolate. */
export class LinkCount {
  readonly #read: () => Promise<number>
  #known: number | null = null
  #nextMs = 0

  constructor(read: () => Promise<number>) {
    this.#read = read
  }

  /** Null until it is known. A call during the read of another one returns the previous count. */
  async latest(): Promise<number | null> {
    if (Date.now() >= this.#nextMs) {
      this.#nextMs = Date.now() + keptMs
      try {
        this.#known = await inTime(this.#read(), answerMsMax)
      } catch (error) {
        console.error('the number of links could not be read', error)
      }
    }
    return this.#known
  }
}
