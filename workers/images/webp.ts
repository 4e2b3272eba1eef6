import { concatBytes, joinBytes } from '../../protocol/encoding/index.ts'
import { type CleanImage, ImageError, ImageReader, requireSides } from './image.ts'

const profileFlag = 0x20
const alphaFlag = 0x10
const animationFlag = 0x02

interface Chunk {
  type: string
  data: Uint8Array
}

/**
 * Checks a WebP to its last byte and rewrites it without metadata: the sizes of file and chunks, the header of its one frame, and that the
 * canvas is as large as the frame. @throws {@link ImageError}
 */
export function cleanWebp(bytes: Uint8Array): CleanImage {
  const chunks = readChunks(new ImageReader(bytes))
  const [first] = chunks
  const types = chunks.map(({ type }) => type)
  if (types.includes('ANIM') || types.includes('ANMF')) throw new ImageError('is animated')
  const frames = chunks.filter(({ type }) => type === 'VP8 ' || type === 'VP8L')
  const [frame] = frames
  if (frame === undefined || frames.length > 1) throw new ImageError('has no frame, or more than one')
  const { width, height } = readFrame(frame)
  requireSides(width, height)
  if (first?.type !== 'VP8X') {
    if (first !== frame) throw new ImageError('has its chunks in an order that WebP does not allow')
    return { bytes: write([frame]), width, height, sampleBytes: 1 }
  }

  const extended = new ImageReader(first.data)
  const canvas = [1 + u24(extended, 4), 1 + u24(extended, 7)]
  if (first.data.length !== 10 || (extended.u8(0) & animationFlag) !== 0)
    throw new ImageError('is animated, or has an invalid header')
  if (canvas[0] !== width || canvas[1] !== height)
    throw new ImageError('has a frame that does not fill its canvas')
  const at = chunks.indexOf(frame)
  const before = (type: string) => chunks.slice(1, at).find((chunk) => chunk.type === type)
  const profile = before('ICCP')
  const alpha = frame.type === 'VP8 ' ? before('ALPH') : undefined
  const transparent = alpha !== undefined || (frame.type === 'VP8L' && (extended.u8(0) & alphaFlag) !== 0)
  const flags = (profile ? profileFlag : 0) | (transparent ? alphaFlag : 0)
  const header = { type: 'VP8X', data: concatBytes(Uint8Array.of(flags, 0, 0, 0), first.data.subarray(4)) }
  return {
    bytes: write([header, profile, alpha, frame].filter((chunk) => chunk !== undefined)),
    width,
    height,
    sampleBytes: 1,
  }
}

function readChunks(reader: ImageReader): Chunk[] {
  if (reader.ascii(0, 4) !== 'RIFF' || reader.ascii(8, 4) !== 'WEBP') throw new ImageError('is not a WebP')
  const size = reader.u32(4, true) + 8
  if (size > reader.length) throw new ImageError('breaks off')
  if (size < reader.length) throw new ImageError('has bytes after its end')
  const chunks: Chunk[] = []
  for (let at = 12; at < size; ) {
    const length = reader.u32(at + 4, true)
    chunks.push({ type: reader.ascii(at, 4), data: reader.slice(at + 8, length) })
    // Chunks begin at even places.
    at += 8 + length + (length % 2)
    if (at > size) throw new ImageError('breaks off')
  }
  return chunks
}

function readFrame({ type, data }: Chunk): { width: number; height: number } {
  const frame = new ImageReader(data)
  if (type === 'VP8L') {
    const bits = frame.u32(1, true)
    if (frame.u8(0) !== 0x2f || bits >>> 29 !== 0) throw new ImageError('has an invalid frame')
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  const tag = u24(frame, 0)
  const isShownKeyFrame = (tag & 1) === 0 && (tag & 0x10) !== 0
  if (!isShownKeyFrame || frame.u8(3) !== 0x9d || frame.u16(4) !== 0x012a)
    throw new ImageError('has an invalid frame')
  if (10 + (tag >>> 5) > frame.length) throw new ImageError('breaks off')
  return { width: frame.u16(6, true) & 0x3fff, height: frame.u16(8, true) & 0x3fff }
}

const u24 = (reader: ImageReader, at: number): number => reader.u16(at, true) | (reader.u8(at + 2) << 16)

function write(chunks: readonly Chunk[]): Uint8Array {
  const body = chunks.flatMap(({ type, data }) => [
    ascii(type),
    u32(data.length),
    data,
    new Uint8Array(data.length % 2),
  ])
  const size = body.reduce((sum, part) => sum + part.length, 4)
  return joinBytes([ascii('RIFF'), u32(size), ascii('WEBP'), ...body])
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

const u32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}
