import { deflateSync } from 'node:zlib'
import { PhotonImage } from '@cf-wasm/photon/workerd'
import { concatBytes, joinBytes } from '../../../protocol/encoding/index.ts'
import { crc32 } from '../../../protocol/hbc/crc32.ts'

export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

export const u32 = (value: number, littleEndian = false): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, littleEndian)
  return bytes
}

export const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

export const pngChunk = (type: string, data: Uint8Array = new Uint8Array()): Uint8Array => {
  const named = concatBytes(ascii(type), data)
  return concatBytes(u32(data.length), named, u32(crc32(named)))
}

export interface PngShape {
  width?: number
  height?: number
  depth?: number
  colour?: number
  interlace?: number
  /** The compressed rows; made to fit when left out. */
  rows?: Uint8Array
  /** Chunks after the header. */
  before?: Uint8Array[]
  /** Chunks after the pixels. */
  after?: Uint8Array[]
}

const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** A PNG of one colour. */
export function png(shape: PngShape = {}): Uint8Array {
  const { width = 8, height = 8, depth = 8, colour = 0, interlace = 0, before = [], after = [] } = shape
  const header = Uint8Array.of(depth, colour, 0, 0, interlace)
  return concatBytes(
    pngSignature,
    pngChunk('IHDR', concatBytes(u32(width), u32(height), header)),
    ...before,
    pngChunk('IDAT', shape.rows ?? new Uint8Array(deflateSync(pngRows(shape)))),
    ...after,
    pngChunk('IEND'),
  )
}

/** The rows of a PNG that is not interlaced, before they are compressed. */
export function pngRows({ width = 8, height = 8, depth = 8, colour = 0 }: PngShape = {}): Uint8Array {
  return new Uint8Array(height * (1 + Math.ceil((width * depth * (samples[colour] ?? 1)) / 8)))
}

/** An image with something to see, as photon encodes it. */
function encoded(width: number, height: number, as: 'jpeg' | 'webp'): Uint8Array {
  const pixels = new Uint8Array(4 * width * height).map((_, i) => (i % 4 === 3 ? 255 : (i * 7) % 251))
  const image = new PhotonImage(pixels, width, height)
  const bytes = as === 'jpeg' ? image.get_bytes_jpeg(80) : image.get_bytes_webp()
  image.free()
  return bytes
}

export const jpeg = (width = 16, height = 12): Uint8Array => encoded(width, height, 'jpeg')
export const webp = (width = 16, height = 12): Uint8Array => encoded(width, height, 'webp')

/** A JPEG with segments after its first marker. */
export const jpegWith = (bytes: Uint8Array, ...segments: [code: number, data: Uint8Array][]): Uint8Array =>
  concatBytes(
    bytes.subarray(0, 2),
    ...segments.map(([code, data]) =>
      concatBytes(Uint8Array.of(0xff, code, (data.length + 2) >> 8, (data.length + 2) & 0xff), data),
    ),
    bytes.subarray(2),
  )

const segment = ([code, data]: [number, number[]]) => Uint8Array.of(0xff, code, 0, data.length + 2, ...data)

/** A JPEG of 8×8 pixels of one colour, coded as cyan, magenta, yellow and black. */
export function inks(): Uint8Array {
  const every = (values: (number: number) => number[]) => [1, 2, 3, 4].flatMap(values)
  const parts: [number, number[]][] = [
    [0xee, [...ascii('Adobe'), 0, 100, 0, 0, 0, 0, 0]],
    [0xdb, [0, ...Array(64).fill(1)]],
    [0xc0, [8, 0, 8, 0, 8, 4, ...every((number) => [number, 0x11, 0])]],
    [0xc4, [0x00, 1, ...Array(15).fill(0), 0x00]],
    [0xc4, [0x10, 1, ...Array(15).fill(0), 0x00]],
    [0xda, [4, ...every((number) => [number, 0]), 0, 63, 0]],
  ]
  return concatBytes(
    Uint8Array.of(0xff, 0xd8),
    ...parts.map(segment),
    // Two bits a colour: as before, and no detail.
    Uint8Array.of(0x00, 0xff, 0xd9),
  )
}

/** A progressive JPEG of 2048×2048 gray pixels, with as many scans after its first one that say nothing more. */
export function progressive(scans: number): Uint8Array {
  const side = [0x08, 0x00]
  const blocks = 256 * 256
  const frame: [number, number[]][] = [
    [0xdb, [0, ...Array(64).fill(1)]],
    [0xc2, [8, ...side, ...side, 1, 1, 0x11, 0]],
    // One bit for "as the block before"; one for a run of 2^14 blocks and more without detail, two for one of 2 or 3.
    [0xc4, [0x00, 1, ...Array(15).fill(0), 0x00]],
    [0xc4, [0x10, 1, 1, ...Array(14).fill(0), 0xe0, 0x10]],
    [0xda, [1, 1, 0x00, 0, 0, 0]],
  ]
  // Two runs of 2^15 - 1 blocks and one of 2, filled up with ones.
  const detail = Uint8Array.of(0x7f, 0xfe, 0xff, 0x00, 0xfe, 0x7f)
  const scan = concatBytes(segment([0xda, [1, 1, 0x00, 1, 63, 0]]), detail)
  return joinBytes([
    Uint8Array.of(0xff, 0xd8),
    ...frame.map(segment),
    new Uint8Array(blocks / 8),
    ...Array.from({ length: scans }, () => scan),
    Uint8Array.of(0xff, 0xd9),
  ])
}

export const webpChunk = (type: string, data: Uint8Array): Uint8Array =>
  concatBytes(ascii(type), u32(data.length, true), data, new Uint8Array(data.length % 2))

/** A WebP file of these chunks. */
export const riff = (...chunks: Uint8Array[]): Uint8Array => {
  const body = concatBytes(ascii('WEBP'), ...chunks)
  return concatBytes(ascii('RIFF'), u32(body.length, true), body)
}

/** The frame chunk of a plain WebP file. */
export const webpFrame = (bytes: Uint8Array): Uint8Array => bytes.slice(12)

/** The header chunk of an extended WebP file. */
export const webpHeader = (flags: number, width: number, height: number): Uint8Array =>
  webpChunk(
    'VP8X',
    concatBytes(
      Uint8Array.of(flags, 0, 0, 0),
      u32(width - 1, true).slice(0, 3),
      u32(height - 1, true).slice(0, 3),
    ),
  )
