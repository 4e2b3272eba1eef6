/** Gathers what comes within a moment, and hands it on together. */
export class Gathering<T> {
  readonly #gatherMs: number
  readonly #handOn: (items: readonly T[]) => Promise<void>
  #items: T[] = []
  #handedOn: Promise<void> | null = null

  /** @param gatherMs - How long the first waits for others. */
  constructor(gatherMs: number, handOn: (items: readonly T[]) => Promise<void>) {
    this.#gatherMs = gatherMs
    this.#handOn = handOn
  }

  /** Returns when it was handed on. @throws What handing on throws, to each of those that came together. */
  add(item: T): Promise<void> {
    this.#items.push(item)
    this.#handedOn ??= this.#gather()
    return this.#handedOn
  }

  async #gather(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#gatherMs))
    const items = this.#items
    this.#items = []
    this.#handedOn = null
    await this.#handOn(items)
  }
}
