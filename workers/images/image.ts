export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export type ImageType = (typeof imageTypes)[number]

/** Longest side, in pixels. */
const sideMax = 4096

/** Thrown for bytes that are not a whole, still image of their kind. */
export class ImageError extends Error {
  override readonly name = 'ImageError'
}

/** An image whose structure was checked to the last byte, rewritten without what only describes it. */
export interface CleanImage {
  bytes: Uint8Array
  width: number
  height: number
  /** Bytes of a colour sample: a decoder holds the pixels in as many. */
  sampleBytes: 1 | 2
}

/** Reads big-endian or little-endian integers of bytes that may end anywhere. */
export class ImageReader {
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get length(): number {
    return this.bytes.length
  }

  u8(at: number): number {
    return this.#view.getUint8(this.#inside(at, 1))
  }

  u16(at: number, littleEndian = false): number {
    return this.#view.getUint16(this.#inside(at, 2), littleEndian)
  }

  u32(at: number, littleEndian = false): number {
    return this.#view.getUint32(this.#inside(at, 4), littleEndian)
  }

  ascii(at: number, length: number): string {
    return Array.from(this.slice(at, length), (byte) => String.fromCharCode(byte)).join('')
  }

  slice(at: number, length: number): Uint8Array {
    return this.bytes.subarray(this.#inside(at, length), at + length)
  }

  #inside(at: number, length: number): number {
    if (at + length > this.length) throw new ImageError('breaks off')
    return at
  }
}

/** @throws {@link ImageError} for a side of nothing or of more than {@link sideMax}. */
export function requireSides(width: number, height: number): void {
  if (width < 1 || height < 1 || width > sideMax || height > sideMax)
    throw new ImageError(`is ${width}×${height} pixels; at most ${sideMax}×${sideMax} are allowed`)
}
