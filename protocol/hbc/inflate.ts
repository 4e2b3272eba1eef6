/** Why a deflate stream was refused. */
export type InflateFailure = 'broken' | 'too_long' | 'too_short' | 'trailing_bytes'

/** Thrown by {@link inflate}. */
export class InflateError extends Error {
  override readonly name = 'InflateError'
  readonly failure: InflateFailure

  constructor(failure: InflateFailure, message: string) {
    super(message)
    this.failure = failure
  }
}

const maxCodeBits = 15
/** Codes up to this long are looked up at once. Blocks are as short as 30 bytes, so their tables have to be small. */
const lookupBitsMax = 9
const lengthBase = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
]
const lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
]
const distanceExtra = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
]
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/**
 * Inflates a raw deflate stream (RFC 1951) that must give exactly `length` bytes and end exactly with the input.
 *
 * Written here because every node must accept and refuse the same streams: inflaters of the platforms differ over
 * trailing bytes, incomplete codes and streams that are longer than announced. Memory is `length`
 * bytes whatever the stream says; time is linear in input and output.
 *
 * @throws {@link InflateError}
 */
export function inflate(input: Uint8Array, length: number): Uint8Array {
  const bits = new BitReader(input)
  const output = new Uint8Array(length)
  const dynamic = new DynamicCodes()
  let written = 0
  let final = false
  while (!final) {
    final = bits.read(1) === 1
    const type = bits.read(2)
    if (type === 0) written = copyStored(bits, output, written)
    else if (type === 1) written = copyCompressed(bits, fixedLiterals, fixedDistances, output, written)
    else if (type === 2) {
      dynamic.read(bits)
      written = copyCompressed(bits, dynamic.literals, dynamic.distances, output, written)
    } else throw broken('a block has the reserved type')
  }
  if (written < length)
    throw new InflateError('too_short', `the stream holds ${written} bytes, not ${length}`)
  if (bits.position() !== input.length)
    throw new InflateError('trailing_bytes', 'bytes follow the end of the stream')
  return output
}

const broken = (reason: string) => new InflateError('broken', reason)

class BitReader {
  readonly #input: Uint8Array
  #next = 0
  #buffer = 0
  #count = 0

  constructor(input: Uint8Array) {
    this.#input = input
  }

  read(count: number): number {
    while (this.#count < count) this.#fill()
    const value = this.#buffer & ((1 << count) - 1)
    this.#buffer >>>= count
    this.#count -= count
    return value
  }

  /** Decodes one symbol of a canonical code. */
  symbol(code: Code): number {
    // Near the end fewer bits may be left than the longest code has; missing ones read as 0 and must not be used.
    while (this.#count < code.maxBits && this.#next < this.#input.length) this.#fill()
    const entry = code.lookup[this.#buffer & ((1 << code.lookupBits) - 1)]! || code.long(this.#buffer)
    const used = entry & 15
    if (used > this.#count) throw broken('the stream is cut off')
    this.#buffer >>>= used
    this.#count -= used
    return entry >>> 4
  }

  /** Drops the rest of the byte and gives `count` bytes of input without copying them. */
  bytes(count: number): Uint8Array {
    const start = this.#next - (this.#count >>> 3)
    if (start + count > this.#input.length) throw broken('the stream is cut off')
    this.#next = start + count
    this.#buffer = 0
    this.#count = 0
    return this.#input.subarray(start, start + count)
  }

  /** Bytes used; one used in part counts whole. */
  position(): number {
    return this.#next - (this.#count >>> 3)
  }

  #fill(): void {
    if (this.#next >= this.#input.length) throw broken('the stream is cut off')
    this.#buffer |= this.#input[this.#next++]! << this.#count
    this.#count += 8
  }
}

/**
 * A canonical code. One object is rebuilt for every block: a stream may have half a million of them, and their tables
 * are too many to allocate.
 */
class Code {
  /** For every pattern of `lookupBits` bits `symbol << 4 | bits`, 0 if a longer code or none begins with it. */
  readonly lookup = new Uint16Array(1 << lookupBitsMax)
  lookupBits = 0
  maxBits = 0
  /** All symbols, by the length of their codes and then in order. */
  readonly #symbols = new Uint16Array(288)
  readonly #counts = new Uint16Array(maxCodeBits + 1)
  readonly #firsts = new Uint16Array(maxCodeBits + 1)
  readonly #places = new Uint16Array(maxCodeBits + 1)

  /** @param lengths Bits of each symbol's code, 0 for a symbol without one; those from `start` to `end` are taken. */
  build(lengths: Uint8Array, start = 0, end = lengths.length): this {
    this.#count(lengths, start, end)
    this.lookupBits = Math.min(this.maxBits, lookupBitsMax)
    const { lookup, lookupBits } = this
    const size = 1 << lookupBits
    lookup.fill(0, 0, size)
    for (let symbol = 0; symbol < end - start; symbol++) {
      const bits = lengths[start + symbol]!
      if (bits === 0) continue
      this.#symbols[this.#places[bits]!++] = symbol
      if (bits > lookupBits) continue
      const entry = (symbol << 4) | bits
      for (let pattern = reverse(this.#firsts[bits]!++, bits); pattern < size; pattern += 1 << bits)
        lookup[pattern] = entry
    }
    return this
  }

  #count(lengths: Uint8Array, start: number, end: number): void {
    const counts = this.#counts
    counts.fill(0)
    this.maxBits = 1
    for (let at = start; at < end; at++) {
      const bits = lengths[at]!
      if (bits === 0) continue
      counts[bits]! += 1
      if (bits > this.maxBits) this.maxBits = bits
    }
    let used = 0
    let total = 0
    for (let bits = 1; bits <= maxCodeBits; bits++) {
      this.#firsts[bits] = (this.#firsts[bits - 1]! + counts[bits - 1]!) << 1
      this.#places[bits] = total
      total += counts[bits]!
      used += counts[bits]! << (maxCodeBits - bits)
    }
    if (used > 1 << maxCodeBits) throw broken('a code is over-subscribed')
    // A single code of one bit is the one incomplete code that encoders write.
    if (used < 1 << maxCodeBits && !(total <= 1 && this.maxBits === 1)) throw broken('a code is incomplete')
  }

  /** Decodes bit by bit what the lookup does not hold. @returns `symbol << 4 | bits`. */
  long(buffer: number): number {
    let code = 0
    let first = 0
    let place = 0
    for (let bits = 1; bits <= this.maxBits; bits++) {
      code = (code << 1) | ((buffer >>> (bits - 1)) & 1)
      const count = this.#counts[bits]!
      first <<= 1
      if (code - first < count) return (this.#symbols[place + code - first]! << 4) | bits
      first += count
      place += count
    }
    throw broken('a code is not assigned')
  }
}

function reverse(code: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit++) if (code & (1 << bit)) reversed |= 1 << (bits - 1 - bit)
  return reversed
}

const fixedLiterals = new Code().build(
  new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280, 288),
)
const fixedDistances = new Code().build(new Uint8Array(32).fill(5))

/** The codes of one dynamic block, and where their lengths are put while they are read. */
class DynamicCodes {
  readonly literals = new Code()
  readonly distances = new Code()
  readonly #codeLengths = new Code()
  readonly #lengths = new Uint8Array(286 + 30)

  read(bits: BitReader): void {
    const literalCount = bits.read(5) + 257
    const distanceCount = bits.read(5) + 1
    const codeLengthCount = bits.read(4) + 4
    if (literalCount > 286 || distanceCount > 30) throw broken('a block has too many codes')
    const lengths = this.#lengths.fill(0)
    for (let i = 0; i < codeLengthCount; i++) lengths[codeLengthOrder[i]!] = bits.read(3)
    this.#codeLengths.build(lengths, 0, codeLengthOrder.length)

    const end = literalCount + distanceCount
    for (let i = 0; i < end; ) {
      const symbol = bits.symbol(this.#codeLengths)
      if (symbol < 16) {
        lengths[i++] = symbol
        continue
      }
      if (symbol === 16 && i === 0) throw broken('a repeat code has no previous code length')
      const value = symbol === 16 ? lengths[i - 1]! : 0
      const repeat = symbol === 16 ? 3 + bits.read(2) : symbol === 17 ? 3 + bits.read(3) : 11 + bits.read(7)
      if (i + repeat > end) throw broken('too many code lengths')
      lengths.fill(value, i, i + repeat)
      i += repeat
    }
    if (lengths[256] === 0) throw broken('a block has no code for its end')
    this.literals.build(lengths, 0, literalCount)
    this.distances.build(lengths, literalCount, end)
  }
}

const tooLong = (length: number) => new InflateError('too_long', `the stream holds more than ${length} bytes`)

function copyStored(bits: BitReader, output: Uint8Array, written: number): number {
  const header = bits.bytes(4)
  const length = header[0]! | (header[1]! << 8)
  const complement = header[2]! | (header[3]! << 8)
  if ((length ^ complement) !== 0xffff) throw broken('the length of a stored block is wrong')
  const stored = bits.bytes(length)
  if (written + length > output.length) throw tooLong(output.length)
  output.set(stored, written)
  return written + length
}

function copyCompressed(
  bits: BitReader,
  literals: Code,
  distances: Code,
  output: Uint8Array,
  start: number,
): number {
  let written = start
  while (true) {
    const symbol = bits.symbol(literals)
    if (symbol === 256) return written
    if (symbol < 256) {
      if (written >= output.length) throw tooLong(output.length)
      output[written++] = symbol
      continue
    }
    if (symbol > 285) throw broken('a length is not assigned')
    const length = lengthBase[symbol - 257]! + bits.read(lengthExtra[symbol - 257]!)
    const distanceSymbol = bits.symbol(distances)
    if (distanceSymbol > 29) throw broken('a distance is not assigned')
    const distance = distanceBase[distanceSymbol]! + bits.read(distanceExtra[distanceSymbol]!)
    if (distance > written) throw broken('a distance points before the start of the stream')
    if (written + length > output.length) throw tooLong(output.length)
    for (let end = written + length; written < end; written++) output[written] = output[written - distance]!
  }
}
