/** The first capacity, unless fewer bytes are expected. */
const firstBytes = 64 * 1024

/** Bytes that arrive in pieces. Memory is taken as they come: twice as much as there is, and never more than expected. */
export class GrowingBytes {
  readonly #expected: number
  #buffer: ArrayBuffer
  #length = 0

  /** @param expected How many there are at most, as far as that is known; more are taken in all the same. */
  constructor(expected: number) {
    this.#expected = expected
    this.#buffer = new ArrayBuffer(Math.min(expected, firstBytes))
  }

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    const { byteLength } = this.#buffer
    if (needed > byteLength)
      this.#buffer = this.#buffer.transfer(Math.max(needed, Math.min(2 * byteLength, this.#expected)))
    new Uint8Array(this.#buffer).set(bytes, this.#length)
    this.#length = needed
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.#length)
  }
}
