import { concatBytes, utf8 } from '../../encoding/index.ts'
import { crc32 } from '../crc32.ts'

const none = new Uint8Array()

/** An entry to write, valid or not. A member that is left out gets the value that a correct writer writes. */
export interface ZipEntry {
  name: string
  content: Uint8Array
  /** The data in the archive, if it differs from `content`. */
  compressed?: Uint8Array
  method?: number
  flags?: number
  crc?: number
  size?: number
  localName?: string
  localSize?: number
  extra?: Uint8Array
  localExtra?: Uint8Array
  /** Written after the data. */
  descriptor?: Uint8Array
  attributes?: number
  disk?: number
  offset?: number
  time?: number
}

export interface ZipShape {
  prefix?: Uint8Array
  gap?: Uint8Array
  suffix?: Uint8Array
  comment?: Uint8Array
  disk?: number
  total?: number
  directoryOffset?: number
}

/** Writes a ZIP archive exactly as told, to make archives that a correct writer would not. */
export function buildZip(entries: readonly ZipEntry[], shape: ZipShape = {}): Uint8Array {
  const { prefix = none, gap = none, suffix = none, comment = none, disk = 0, total = entries.length } = shape
  const files: Uint8Array[] = [prefix]
  const directory: Uint8Array[] = []
  let offset = prefix.length
  for (const entry of entries) {
    const { content, compressed = content, method = 0, flags = 0, time = 0 } = entry
    const { extra = none, localExtra = extra, descriptor = none, attributes = 0 } = entry
    const name = utf8(entry.name)
    const localName = utf8(entry.localName ?? entry.name)
    const crc = u32(entry.crc ?? crc32(content))
    const size = entry.size ?? content.length
    const deferred = (flags & 8) !== 0
    const head = concatBytes(u16(20), u16(flags), u16(method), u16(time), u16(time))
    const sizes = deferred
      ? new Uint8Array(12)
      : concatBytes(crc, u32(compressed.length), u32(entry.localSize ?? size))
    const file = concatBytes(
      u32(0x04034b50),
      head,
      sizes,
      u16(localName.length),
      u16(localExtra.length),
      localName,
      localExtra,
      compressed,
      descriptor,
    )
    directory.push(
      concatBytes(
        u32(0x02014b50),
        u16(20),
        head,
        crc,
        u32(compressed.length),
        u32(size),
        u16(name.length),
        u16(extra.length),
        u16(0),
        u16(entry.disk ?? 0),
        u16(0),
        u32(attributes),
        u32(entry.offset ?? offset),
        name,
        extra,
      ),
    )
    files.push(file)
    offset += file.length
  }
  const records = concatBytes(...directory)
  return concatBytes(
    ...files,
    gap,
    records,
    u32(0x06054b50),
    u16(disk),
    u16(disk),
    u16(total),
    u16(total),
    u32(records.length),
    u32(shape.directoryOffset ?? offset + gap.length),
    u16(comment.length),
    comment,
    suffix,
  )
}

/** The data descriptor of an entry, with or without its signature. */
export function descriptorOf(content: Uint8Array, compressed: number, signed = true): Uint8Array {
  const values = concatBytes(u32(crc32(content)), u32(compressed), u32(content.length))
  return signed ? concatBytes(u32(0x08074b50), values) : values
}

/** A deflate stream of stored blocks, `padding` of them empty: longer than its content. */
export function deflateStored(content: Uint8Array, padding = 0): Uint8Array {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < content.length; at += 0xffff)
    blocks.push(storedBlock(content.subarray(at, at + 0xffff)))
  const empty = storedBlock(none)
  blocks.push(new Uint8Array(padding * empty.length).map((_, at) => empty[at % empty.length]!))
  blocks.push(storedBlock(none, true))
  return concatBytes(...blocks)
}

const storedBlock = (content: Uint8Array, final = false): Uint8Array =>
  concatBytes(new Uint8Array([final ? 1 : 0]), u16(content.length), u16(content.length ^ 0xffff), content)
const u16 = (value: number): Uint8Array => new Uint8Array([value, value >>> 8])
const u32 = (value: number): Uint8Array => new Uint8Array([value, value >>> 8, value >>> 16, value >>> 24])
