import { createInflate } from 'node:zlib'
import { joinBytes } from '../../protocol/encoding/index.ts'
import { crc32 } from '../../protocol/hbc/crc32.ts'
import { type CleanImage, ImageError, ImageReader, requireSides } from './image.ts'

const signature = '\x89PNG\r\n\x1a\n'
/** The chunks that decide how the pixels look; every other ancillary chunk is left out. */
const kept = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'sBIT',
  'bKGD',
  'pHYs',
])
const animated = new Set(['acTL', 'fcTL', 'fdAT'])
const depths: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}
const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** The unpacked size. Profiles of screens and cameras take some kilobytes, profiles of printers up to two megabytes. */
const profileBytesMax = 4 * 1024 * 1024

interface Chunk {
  type: string
  whole: Uint8Array
  data: Uint8Array
}

/**
 * Checks a PNG to its last byte: order and checksums of the chunks, that the compressed rows are exactly as many and as long as the header
 * says, and the size of the colour profile. Unpacked bytes are counted as they come and never held. @throws {@link ImageError}
 */
export async function cleanPng(bytes: Uint8Array): Promise<CleanImage> {
  const chunks = readChunks(new ImageReader(bytes))
  const [header, ...others] = chunks
  if (header?.type !== 'IHDR' || header.data.length !== 13)
    throw new ImageError('does not begin with its header')
  const { width, height, sampleBytes, rows } = readHeader(new ImageReader(header.data))
  requireOrder(header, others)
  await requireProfile(others.find(({ type }) => type === 'iCCP')?.data)
  await requireRows(
    chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data),
    rows,
  )
  const image = chunks.filter(({ type }) => kept.has(type)).map(({ whole }) => whole)
  return { bytes: joinBytes([bytes.subarray(0, signature.length), ...image]), width, height, sampleBytes }
}

function readChunks(reader: ImageReader): Chunk[] {
  if (reader.ascii(0, signature.length) !== signature) throw new ImageError('is not a PNG')
  const chunks: Chunk[] = []
  let at = signature.length
  while (at < reader.length) {
    const length = reader.u32(at)
    const type = reader.ascii(at + 4, 4)
    const whole = reader.slice(at, length + 12)
    if (crc32(reader.slice(at + 4, length + 4)) !== reader.u32(at + 8 + length))
      throw new ImageError(`has a chunk ${printable(type)} with a wrong checksum`)
    chunks.push({ type, whole, data: reader.slice(at + 8, length) })
    at += whole.length
    if (type === 'IEND') break
  }
  if (at < reader.length) throw new ImageError('has bytes after its end')
  return chunks
}

const printable = (type: string): string => type.replaceAll(/[^A-Za-z]/g, '?')

function readHeader(reader: ImageReader): Omit<CleanImage, 'bytes'> & { rows: Rows[] } {
  const [width, height] = [reader.u32(0), reader.u32(4)]
  requireSides(width, height)
  const [depth, colour] = [reader.u8(8), reader.u8(9)]
  const [compression, filter, interlace] = [reader.u8(10), reader.u8(11), reader.u8(12)]
  if (!depths[colour]?.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw new ImageError('has an invalid header')
  const bits = depth * (samples[colour] ?? 1)
  return {
    width,
    height,
    sampleBytes: depth === 16 ? 2 : 1,
    rows: interlace === 1 ? interlacedRows(width, height, bits) : [rowsOf(width, height, bits)],
  }
}

function requireOrder(header: Chunk, others: readonly Chunk[]): void {
  const types = others.map(({ type }) => type)
  if (types.some((type) => animated.has(type))) throw new ImageError('is animated')
  const last = others.at(-1)
  if (last?.type !== 'IEND' || last.data.length > 0) throw new ImageError('breaks off')
  // An upper-case first letter says that an image cannot be shown without understanding the chunk.
  const foreign = types.find((type) => /^[A-Z]/.test(type) && !kept.has(type))
  if (foreign !== undefined) throw new ImageError(`has a chunk ${printable(foreign)} that PNG does not allow`)
  const [first, final] = [types.indexOf('IDAT'), types.lastIndexOf('IDAT')]
  const joined = first >= 0 && types.slice(first, final + 1).every((type) => type === 'IDAT')
  // Pixels come in as many chunks as the encoder likes, everything else in one.
  const single = types.filter((type) => kept.has(type) && type !== 'IDAT')
  const once = new Set(single).size === single.length && !single.includes('IHDR')
  const palette = types.indexOf('PLTE')
  const coloured = new ImageReader(header.data).u8(9) !== 3 || palette >= 0
  if (!joined || !once || !coloured || palette > first)
    throw new ImageError('has its chunks in an order that PNG does not allow')
}

/** Rows of one pass: how many, and their bytes with the filter byte before them. */
interface Rows {
  count: number
  bytes: number
}

const rowsOf = (width: number, height: number, bits: number): Rows => ({
  count: height,
  bytes: 1 + Math.ceil((width * bits) / 8),
})

/** The seven passes of Adam7; one without a pixel has no row. */
function interlacedRows(width: number, height: number, bits: number): Rows[] {
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const
  return passes
    .map(([x, y, dx, dy]) => [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)] as const)
    .filter(([columns, count]) => columns > 0 && count > 0)
    .map(([columns, count]) => rowsOf(columns, count, bits))
}

/** A name of 1 to 79 bytes and its end, the number of the only method, and the compressed profile. */
async function requireProfile(data: Uint8Array | undefined): Promise<void> {
  if (data === undefined) return
  const name = data.indexOf(0)
  if (name < 1 || name > 79 || data[name + 1] !== 0)
    throw new ImageError('has a colour profile that cannot be read')
  let length = 0
  await unpack(data.subarray(name + 2), 'a colour profile', (part) => {
    length += part.length
    if (length > profileBytesMax)
      throw new ImageError(`has a colour profile of more than ${profileBytesMax} bytes`)
  })
}

async function requireRows(data: readonly Uint8Array[], passes: readonly Rows[]): Promise<void> {
  const expected = passes.reduce((sum, { count, bytes }) => sum + count * bytes, 0)
  const filterAt = filterPositions(passes)
  let next = filterAt.next().value
  let length = 0
  await unpack(joinBytes(data), 'pixels', (part) => {
    for (; next !== undefined && next < length + part.length; next = filterAt.next().value)
      if ((part[next - length] ?? 5) > 4) throw new ImageError('has a row with an unknown filter')
    length += part.length
    if (length > expected) throw new ImageError('has more pixels than its header declares')
  })
  if (length < expected) throw new ImageError('has fewer pixels than its header declares')
}

/** Shows what was compressed piece by piece, and makes sure that it is whole and all there is. */
async function unpack(
  packed: Uint8Array,
  what: 'pixels' | 'a colour profile',
  look: (part: Uint8Array) => void,
): Promise<void> {
  // The platform's own DecompressionStream unpacks everything at once, however slowly it is read.
  const inflate = createInflate()
  inflate.end(packed)
  try {
    for await (const part of inflate as AsyncIterable<Uint8Array>) look(part)
  } catch (error) {
    throw error instanceof ImageError ? error : new ImageError(`has ${what} that cannot be read`)
  }
  if (inflate.bytesWritten < packed.length) throw new ImageError(`has ${what} with bytes after its end`)
}

/** The position of each row in the decompressed bytes; a row begins with the number of its filter. */
function* filterPositions(passes: readonly Rows[]): Generator<number, undefined> {
  let at = 0
  for (const { count, bytes } of passes) for (let row = 0; row < count; row++, at += bytes) yield at
}
