/** Bytes of answers that are kept; the guest chooses what is asked for, and a node's memory is not its to fill. */
const keptBytesMax = 32 * 1024 * 1024

/** Bytes that an entry counts besides those of its answer. */
const entryBytes = 256

/**
 * The answers of the node to one run, so that what a guest asks for often is fetched once. When there are too many the
 * oldest go: the node gives the same answer again, for its state does not change while a run goes on.
 */
export class AnswerCache {
  readonly #known = new Map<string, { answer: unknown; bytes: number }>()
  #bytes = 0

  get<T>(key: string, ask: () => T, bytesOf: (answer: T) => number): T {
    const known = this.#known.get(key)
    if (known !== undefined) return known.answer as T
    const answer = ask()
    const bytes = entryBytes + bytesOf(answer)
    this.#known.set(key, { answer, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: freed }] of this.#known) {
      if (this.#bytes <= keptBytesMax || oldest === key) break
      this.#known.delete(oldest)
      this.#bytes -= freed
    }
    return answer
  }
}
