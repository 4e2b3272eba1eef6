/** Thrown for bytes that are not an acceptable module. */
export class WasmError extends Error {
  override readonly name = 'WasmError'
  /** `malformed`: not WebAssembly; `feature`: uses a proposal that is not allowed; `abi`: breaks a rule for guests. */
  readonly kind: 'malformed' | 'feature' | 'abi'
  /** The offset of the reader; null for a rule about the module as a whole. */
  readonly offset: number | null

  constructor(kind: 'malformed' | 'feature' | 'abi', message: string, offset: number | null = null) {
    super(offset === null ? message : `${message} (at byte ${offset})`)
    this.kind = kind
    this.offset = offset
  }
}

/** Reads the encodings of WebAssembly from a range of bytes. Every method throws {@link WasmError} past its end. */
export class WasmReader {
  readonly bytes: Uint8Array
  readonly end: number
  at: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get done(): boolean {
    return this.at === this.end
  }

  fail(message: string, kind: WasmError['kind'] = 'malformed'): never {
    throw new WasmError(kind, message, this.at)
  }

  byte(): number {
    if (this.at >= this.end) this.fail('the bytes end too early')
    return this.bytes[this.at++]!
  }

  skip(count: number): void {
    if (count > this.end - this.at) this.fail('the bytes end too early')
    this.at += count
  }

  /** An unsigned LEB128 integer of at most 32 bits; padded forms of up to five bytes are WebAssembly's own rule. */
  u32(): number {
    let value = 0
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.byte()
      if (shift === 28 && byte > 0x0f) this.fail('an integer does not fit in 32 bits')
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    return this.fail('an integer is too long')
  }

  /** Passes a signed LEB128 integer of at most `bits` bits. */
  skipSigned(bits: 32 | 33 | 64): void {
    const bytesMax = Math.ceil(bits / 7)
    for (let index = 1; index <= bytesMax; index++) {
      const byte = this.byte()
      if (index === bytesMax) {
        // The bits of the last byte above the sign bit must repeat it.
        const used = bits - 7 * (bytesMax - 1)
        const sign = byte & (1 << (used - 1)) ? 0x7f : 0
        const mask = 0x7f & ~((1 << (used - 1)) - 1)
        if (byte >= 0x80 || (byte & mask) !== (sign & mask))
          this.fail(`an integer does not fit in ${bits} bits`)
      }
      if (byte < 0x80) return
    }
  }

  /** A name: a vector of bytes in valid UTF-8. */
  text(): string {
    const length = this.u32()
    const start = this.at
    this.skip(length)
    try {
      return utf8.decode(this.bytes.subarray(start, this.at))
    } catch {
      throw new WasmError('malformed', 'a name is not valid UTF-8', start)
    }
  }

  /** A reader of the next `count` bytes, which this one passes. */
  part(count: number): WasmReader {
    const start = this.at
    this.skip(count)
    return new WasmReader(this.bytes, start, this.at)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
