import { concatBytes, joinBytes } from '../../protocol/encoding/index.ts'
import { type CleanImage, ImageError, ImageReader, requireSides } from './image.ts'

const start = 0xd8
const end = 0xd9
const scan = 0xda
/** Baseline, extended and progressive frames; the others are lossless, arithmetic or hierarchical, which nobody shows. */
const frames = [0xc0, 0xc1, 0xc2]
const tables = [0xc4, 0xdb, 0xdd]
/** A decoder walks the whole image for each scan, and one takes 16 bytes. Encoders write about ten. */
const scansMax = 64

/**
 * Checks a JPEG from its first marker to its last, and rewrites it without comments, thumbnails and what applications added; the colour
 * profile and the orientation stay. @throws {@link ImageError}
 */
export function cleanJpeg(bytes: Uint8Array): CleanImage {
  const reader = new ImageReader(bytes)
  if (reader.u16(0) !== 0xff00 + start) throw new ImageError('is not a JPEG')
  const segments: Uint8Array[] = []
  let sides: [width: number, height: number] | null = null
  let orientation = 1
  let scans = 0
  let at = 2
  while (true) {
    const marker = readMarker(reader, at)
    at = marker.end
    if (marker.code === end) break
    const length = reader.u16(at)
    if (length < 2) throw new ImageError('has a segment without a length')
    const segment = reader.slice(at + 2, length - 2)
    const whole = concatBytes(Uint8Array.of(0xff, marker.code), reader.slice(at, length))
    at += length
    if (frames.includes(marker.code)) {
      if (sides !== null) throw new ImageError('has more than one frame')
      sides = readFrame(new ImageReader(segment))
      segments.push(whole)
    } else if (tables.includes(marker.code)) segments.push(whole)
    else if (marker.code === scan) {
      if (sides === null) throw new ImageError('has pixels before its frame')
      if (scans === scansMax) throw new ImageError(`has more than ${scansMax} scans`)
      const pixels = reader.slice(at, scanEnd(bytes, at) - at)
      if (pixels.length === 0) throw new ImageError('has a scan without pixels')
      segments.push(whole, pixels)
      at += pixels.length
      scans += 1
    } else if (isDescription(marker.code)) {
      if (marker.code === 0xe1) orientation = readOrientation(new ImageReader(segment)) ?? orientation
      for (const kept of keptOf(marker.code, segment, whole)) segments.push(kept)
    } else throw new ImageError(`has a segment ${marker.code.toString(16)} that is not supported`)
  }
  if (at < reader.length) throw new ImageError('has bytes after its end')
  if (sides === null || scans === 0) throw new ImageError('has no pixels')
  return {
    bytes: joinBytes([
      Uint8Array.of(0xff, start),
      ...(orientation === 1 ? [] : [orientationSegment(orientation)]),
      ...segments,
      Uint8Array.of(0xff, end),
    ]),
    width: sides[0],
    height: sides[1],
    sampleBytes: 1,
  }
}

/** A marker may be preceded by any number of fill bytes. */
function readMarker(reader: ImageReader, from: number): { code: number; end: number } {
  if (reader.u8(from) !== 0xff) throw new ImageError('has bytes between its segments')
  let at = from
  while (reader.u8(at) === 0xff) at += 1
  return { code: reader.u8(at), end: at + 1 }
}

function readFrame(frame: ImageReader): [width: number, height: number] {
  const [precision, height, width, components] = [frame.u8(0), frame.u16(1), frame.u16(3), frame.u8(5)]
  requireSides(width, height)
  if (precision !== 8 || ![1, 3, 4].includes(components) || frame.length !== 6 + 3 * components)
    throw new ImageError('has a frame that browsers cannot show')
  return [width, height]
}

/** Compressed pixels end at the first marker; a stuffed zero and restart marks belong to them. */
function scanEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next === undefined) break
    if (next !== 0x00 && (next < 0xd0 || next > 0xd7)) return at
  }
  throw new ImageError('breaks off')
}

const isDescription = (code: number): boolean => (code >= 0xe0 && code <= 0xef) || code === 0xfe

/** Of Adobe's segment, up to the byte that says how colours are coded. */
const adobeLength = 12

/** The parts of a description that are kept: how dense the pixels are, which colours they mean, and how the colours are coded. */
function keptOf(code: number, segment: Uint8Array, whole: Uint8Array): Uint8Array[] {
  const begins = (name: string) =>
    [...name].every((character, index) => segment[index] === character.charCodeAt(0))
  if (code === 0xe0 && begins('JFIF\0') && segment.length >= 14)
    // Without the thumbnail, which is as large as it likes.
    return [concatBytes(Uint8Array.of(0xff, 0xe0, 0, 16), segment.subarray(0, 12), Uint8Array.of(0, 0))]
  if (code === 0xe2 && begins('ICC_PROFILE\0')) return [whole]
  if (code === 0xee && begins('Adobe') && segment.length >= adobeLength)
    return [concatBytes(Uint8Array.of(0xff, 0xee, 0, 2 + adobeLength), segment.subarray(0, adobeLength))]
  return []
}

/** The orientation of an Exif segment; null in any other, and in one that cannot be read. */
function readOrientation(segment: ImageReader): number | null {
  try {
    if (segment.ascii(0, 6) !== 'Exif\0\0') return null
    const tiff = new ImageReader(segment.slice(6, segment.length - 6))
    const little = tiff.ascii(0, 2) === 'II'
    const directory = tiff.u32(4, little)
    const entries = tiff.u16(directory, little)
    for (let index = 0; index < entries; index++) {
      const entry = directory + 2 + 12 * index
      if (tiff.u16(entry, little) !== 0x0112) continue
      const value = tiff.u16(entry + 8, little)
      return value >= 1 && value <= 8 ? value : null
    }
    return null
  } catch (error) {
    if (error instanceof ImageError) return null
    throw error
  }
}

/** An Exif segment that says nothing but the orientation. */
const orientationSegment = (orientation: number): Uint8Array =>
  new Uint8Array([
    ...[0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0],
    ...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  ])
