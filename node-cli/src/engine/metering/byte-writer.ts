/** Operators that take one index. */
export const opcode = {
  branchIf: 0x0d,
  call: 0x10,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
} as const

/** Bytes that grow at their end. */
export class ByteWriter {
  #bytes = new Uint8Array(1024)
  length = 0

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.length++] = value
  }

  bytes(values: ArrayLike<number>): void {
    this.#reserve(values.length)
    this.#bytes.set(values, this.length)
    this.length += values.length
  }

  /** Copies `source[start, end)`. */
  range(source: Uint8Array, start: number, end: number): void {
    if (end > start) this.bytes(source.subarray(start, end))
  }

  /** An unsigned LEB128 integer. */
  u32(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.byte(rest)
  }

  /** Keeps five bytes for a small number that is not known yet. @returns Where; see {@link patchPadded}. */
  padded(): number {
    this.bytes([0x80, 0x80, 0x80, 0x80, 0x00])
    return this.length - 5
  }

  /** An operator with its index. */
  op(code: number, index: number): void {
    this.byte(code)
    this.u32(index)
  }

  /** i32.const */
  i32(value: number): void {
    this.byte(0x41)
    this.signed(value)
  }

  /** i64.const */
  i64(value: number): void {
    this.byte(0x42)
    this.signed(value)
  }

  /** A signed LEB128 integer. */
  signed(value: number): void {
    let rest = value
    while (true) {
      const low = ((rest % 0x80) + 0x80) % 0x80
      rest = Math.floor(rest / 0x80)
      const ends = (rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40)
      this.byte(ends ? low : low | 0x80)
      if (ends) return
    }
  }

  text(value: string): void {
    const encoded = new TextEncoder().encode(value)
    this.u32(encoded.length)
    this.bytes(encoded)
  }

  /** The written bytes, as a view. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count))
    grown.set(this.view())
    this.#bytes = grown
  }
}

/** Writes a small number, signed or not, over the five bytes that {@link ByteWriter.padded} kept for it. */
export function patchPadded(code: Uint8Array, place: number, value: number): void {
  for (let index = 0; index < 5; index++)
    code[place + index] = ((value >>> (7 * index)) & 0x7f) | (index < 4 ? 0x80 : 0)
}
