/** Instructions as 32-bit words, growing at their end. Places are counted in words. */
export class CodeWriter {
  words = new Uint32Array(4096)
  length = 0

  word(value: number): void {
    if (this.length === this.words.length) this.#grow(1)
    this.words[this.length++] = value
  }

  two(first: number, second: number): void {
    if (this.length + 2 > this.words.length) this.#grow(2)
    this.words[this.length++] = first
    this.words[this.length++] = second
  }

  three(first: number, second: number, third: number): void {
    this.two(first, second)
    this.word(third)
  }

  four(first: number, second: number, third: number, fourth: number): void {
    this.two(first, second)
    this.two(third, fourth)
  }

  #grow(count: number): void {
    const grown = new Uint32Array(Math.max(2 * this.words.length, this.length + count))
    grown.set(this.words)
    this.words = grown
  }
}
