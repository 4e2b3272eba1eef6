import { batchBytesMax } from './limits.ts'

const listOf = {
  ...{ decide: 'rounds', decided: 'answers', finality: 'votes' },
  ...{ attest: 'sets', attested: 'answers' },
} as const

/** Writes a frame whose members are texts already. Its writer keeps to the sizes. */
export const writeBatch = (type: keyof typeof listOf, texts: readonly string[]): string =>
  `{"type":"${type}","${listOf[type]}":[${texts.join()}]}`

/**
 * Collects texts for a moment, so that many share a frame; each is sent once. They are in memory alone: what is lost with the process is asked
 * again, or had from others. It holds no more than {@link batchBytesMax} and one text.
 */
export class Batch {
  readonly #max: number
  readonly #collectMs: number
  readonly #send: (texts: readonly string[]) => void
  readonly #texts = new Set<string>()
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param max - Most texts of a frame. @param collectMs - How long the first of them waits for others. */
  constructor(max: number, collectMs: number, send: (texts: readonly string[]) => void) {
    this.#max = max
    this.#collectMs = collectMs
    this.#send = send
  }

  add(text: string): void {
    if (this.#texts.has(text)) return
    if (this.#length + text.length > batchBytesMax) this.#flush()
    this.#texts.add(text)
    this.#length += text.length
    this.#timer ??= setTimeout(() => this.#flush(), this.#collectMs)
    if (this.#texts.size >= this.#max) this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const texts = [...this.#texts]
    this.#texts.clear()
    this.#length = 0
    if (texts.length > 0) this.#send(texts)
  }
}
