import { concatBytes, joinBytes, utf8 } from '../encoding/index.ts'
import { ArtifactError, type ArtifactRule } from './artifact-error.ts'
import { crc32 } from './crc32.ts'
import { InflateError, inflate } from './inflate.ts'

/** Largest artifact, in bytes. */
export const artifactBytesMax = 16 * 1024 * 1024
/** The entries of an artifact with their largest sizes, in the order the writer writes them. */
export const entryBytesMax = { 'manifest.json': 64 * 1024, 'module.wasm': 12 * 1024 * 1024 } as const

/**
 * How many times its deflated bytes an entry of a new artifact may have, and the size below which any ratio will do. Code
 * deflates to a fifth or so, while hashing what a few kilobytes of deflated zeros give takes a second.
 */
export const newEntryRatioMax = 100
const newEntryFreeBytes = 64 * 1024

/** The two byte strings inside an artifact. */
export interface Container {
  readonly manifest: Uint8Array
  readonly wasm: Uint8Array
}

type EntryName = keyof typeof entryBytesMax

const endSignature = 0x06054b50
const centralSignature = 0x02014b50
const localSignature = 0x04034b50
const descriptorSignature = 0x08074b50
const endBytes = 22
const centralBytes = 46
const localBytes = 30
const commentBytesMax = 0xffff

const flagEncrypted = 1 << 0
const flagDescriptor = 1 << 3
const flagStrongEncryption = 1 << 6
const flagMaskedHeaders = 1 << 13
/** Deflate's hints on speed, a data descriptor, and names in UTF-8 change nothing that matters here. */
const flagsAllowed = (1 << 1) | (1 << 2) | flagDescriptor | (1 << 11)
const zip64ExtraField = 0x0001
const directoryAttribute = 0x10

interface Entry {
  readonly name: EntryName
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
  readonly offset: number
}

/**
 * Reads the container of an artifact: a ZIP archive of exactly `manifest.json` and `module.wasm` that accounts for
 * every one of its bytes ("Container" in the README of this folder).
 *
 * A stored entry is returned as a view of `bytes`; a deflated one takes as much memory as its announced size, which is
 * within the limit of the entry. Time is linear.
 *
 * @param isNew Whether the archive enters the network with this, so that nothing of an entry is inflated that promises
 *   too much. Archives that are in the network are read whatever their ratio.
 * @throws {@link ArtifactError}
 */
export function readContainer(bytes: Uint8Array, { isNew = false } = {}): Container {
  if (bytes.length > artifactBytesMax)
    fail(
      'artifact_too_large',
      `the artifact has ${bytes.length} bytes; at most ${artifactBytesMax} are allowed`,
    )
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  const entries = readDirectory(view, bytes, end)
  if (isNew) for (const entry of entries) checkRatio(entry)
  const directory = view.getUint32(end + 16, true)
  // In the order of the file, so that each entry must begin where the one before it ended.
  const contents = new Map<EntryName, Uint8Array>()
  let expected = 0
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < expected) fail('overlapping_entries', `${entry.name} overlaps the entry before it`)
    if (entry.offset > expected) fail('unaccounted_bytes', `unused bytes precede ${entry.name}`)
    const dataStart = checkLocalHeader(view, bytes, entry)
    const dataEnd = dataStart + entry.compressed
    if (dataEnd > directory) fail('overlapping_entries', `${entry.name} runs into the directory`)
    contents.set(entry.name, readEntry(bytes.subarray(dataStart, dataEnd), entry))
    expected = dataEnd + descriptorBytes(view, dataEnd, entry)
  }
  if (expected !== directory)
    fail(
      expected > directory ? 'overlapping_entries' : 'unaccounted_bytes',
      'the directory does not follow the last entry',
    )
  return { manifest: contents.get('manifest.json')!, wasm: contents.get('module.wasm')! }
}

/** Fixed header fields of every entry, so that all packagers of this format write the same bytes. */
const written = {
  /** ZIP 1.0, which knows stored entries. */
  versionNeeded: 10,
  /** A system like Unix (3), whose file modes the attributes have, and ZIP 3.0 (30). */
  madeBy: 0x031e,
  /** 1980-01-01, the earliest date there is; a month or day of 0 does not exist. */
  date: 0x0021,
  /** A regular file, rw-r--r--. */
  attributes: 0o100644 * 2 ** 16,
} as const

/** Writes the one archive the packager makes of these contents: both stored, of one date, without extra fields. */
export function writeContainer({ manifest, wasm }: Container): Uint8Array {
  const entries = [
    { name: utf8('manifest.json'), content: manifest },
    { name: utf8('module.wasm'), content: wasm },
  ]
  const files: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const { name, content } of entries) {
    // no flags, stored, time 0
    const common = concatBytes(u16(written.versionNeeded), u16(0), u16(0), u16(0), u16(written.date))
    const sizes = concatBytes(
      u32(crc32(content)),
      u32(content.length),
      u32(content.length),
      u16(name.length),
      u16(0),
    )
    files.push(u32(localSignature), common, sizes, name, content)
    directory.push(u32(centralSignature), u16(written.madeBy), common, sizes)
    // no comment, disk 0, no internal attributes
    directory.push(u16(0), u16(0), u16(0), u32(written.attributes), u32(offset), name)
    offset += localBytes + name.length + content.length
  }
  const directoryBytes = joinBytes(directory)
  const end = [u16(0), u16(0), u16(2), u16(2), u32(directoryBytes.length), u32(offset), u16(0)]
  return joinBytes([...files, directoryBytes, u32(endSignature), ...end])
}

function fail(rule: ArtifactRule, message: string): never {
  throw new ArtifactError(rule, message)
}

/** Offset of the end record: the last position at which its comment ends with the file. */
function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - endBytes - commentBytesMax)
  for (let at = view.byteLength - endBytes; at >= lowest; at--)
    if (
      view.getUint32(at, true) === endSignature &&
      view.getUint16(at + 20, true) === view.byteLength - at - endBytes
    )
      return at
  return fail('not_a_zip', 'the file does not end with the end record of a ZIP archive')
}

function readDirectory(view: DataView, bytes: Uint8Array, end: number): Entry[] {
  const [disk, directoryDisk, onDisk, total] = [4, 6, 8, 10].map((offset) =>
    view.getUint16(end + offset, true),
  )
  const size = view.getUint32(end + 12, true)
  const start = view.getUint32(end + 16, true)
  if (onDisk === 0xffff || total === 0xffff || size === 0xffffffff || start === 0xffffffff)
    fail('zip64', 'the archive is in ZIP64 form')
  if (disk !== 0 || directoryDisk !== 0 || onDisk !== total)
    fail('several_disks', 'the archive spans several disks')
  if (start + size !== end) fail('unaccounted_bytes', 'the directory does not end at the end record')

  const entries: Entry[] = []
  const names = new Set<string>()
  let at = start
  for (let index = 0; index < total!; index++) {
    if (at + centralBytes > end || view.getUint32(at, true) !== centralSignature)
      fail('not_a_zip', `the directory ends before its entry ${index + 1} of ${total}`)
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true),
    )
    const next = at + centralBytes + nameBytes! + extraBytes! + commentBytes!
    if (next > end) fail('not_a_zip', 'an entry of the directory runs over its end')
    const name = entryName(
      bytes.subarray(at + centralBytes, at + centralBytes + nameBytes!),
      view.getUint32(at + 38, true),
    )
    if (names.has(name)) fail('duplicate_entry', `${name} occurs twice`)
    names.add(name)
    entries.push(readEntryRecord(view, bytes, at, name))
    at = next
  }
  if (at !== end) fail('unaccounted_bytes', 'the directory is longer than its entries')
  for (const name of Object.keys(entryBytesMax))
    if (!names.has(name)) fail('missing_entry', `${name} is missing`)
  return entries
}

function entryName(raw: Uint8Array, attributes: number): EntryName {
  const name = new TextDecoder('latin1').decode(raw)
  if (name.endsWith('/') || attributes & directoryAttribute)
    fail('directory', `${printable(name)} is a directory`)
  if (!Object.hasOwn(entryBytesMax, name))
    fail(
      'unexpected_entry',
      `${printable(name)} is not allowed; an artifact contains only manifest.json and module.wasm`,
    )
  return name as EntryName
}

const printable = (name: string): string => JSON.stringify(name.slice(0, 64))

function readEntryRecord(view: DataView, bytes: Uint8Array, at: number, name: EntryName): Entry {
  const nameBytes = view.getUint16(at + 28, true)
  const extraStart = at + centralBytes + nameBytes
  const entry = {
    name,
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    compressed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
  }
  const extra = bytes.subarray(extraStart, extraStart + view.getUint16(at + 30, true))
  if ([entry.compressed, entry.size, entry.offset].includes(0xffffffff) || hasZip64(extra))
    fail('zip64', `${name} is in ZIP64 form`)
  if (view.getUint16(at + 34, true) !== 0) fail('several_disks', `${name} lies on another disk`)
  if (entry.flags & (flagEncrypted | flagStrongEncryption | flagMaskedHeaders))
    fail('encrypted', `${name} is encrypted`)
  if (entry.flags & ~flagsAllowed) fail('unsupported_entry', `${name} has unsupported flags`)
  if (entry.method !== 0 && entry.method !== 8)
    fail('unsupported_entry', `${name} is neither stored nor deflated (method ${entry.method})`)
  if (entry.size > entryBytesMax[name])
    fail('entry_too_large', `${name} has ${entry.size} bytes; at most ${entryBytesMax[name]} are allowed`)
  return entry
}

function checkRatio({ name, method, compressed, size }: Entry): void {
  if (method === 0 || size <= Math.max(newEntryFreeBytes, compressed * newEntryRatioMax)) return
  const ratio = compressed === 0 ? size : Math.ceil(size / compressed)
  fail(
    'compression_ratio',
    `${name} declares ${size} bytes from ${compressed} deflated ones, a ratio of ${ratio}; at most ${newEntryRatioMax} is ` +
      `allowed above ${newEntryFreeBytes} bytes. Pack the same entry stored, as "nodectl compile" does, or leave long runs ` +
      'of zeros out of data segments: memory starts as zeros',
  )
}

function hasZip64(extra: Uint8Array): boolean {
  for (let at = 0; at + 4 <= extra.length; ) {
    const id = extra[at]! | (extra[at + 1]! << 8)
    if (id === zip64ExtraField) return true
    at += 4 + (extra[at + 2]! | (extra[at + 3]! << 8))
  }
  return false
}

/** @returns Offset of the data. */
function checkLocalHeader(view: DataView, bytes: Uint8Array, entry: Entry): number {
  const { name, offset: at } = entry
  const mismatch = (what: string): never =>
    fail('header_mismatch', `the local header of ${name} disagrees with the directory: ${what}`)
  if (at + localBytes > view.byteLength || view.getUint32(at, true) !== localSignature)
    mismatch('it is not there')
  const nameBytes = view.getUint16(at + 26, true)
  const extraBytes = view.getUint16(at + 28, true)
  const dataStart = at + localBytes + nameBytes + extraBytes
  if (dataStart > view.byteLength) mismatch('it runs over the end')
  const localName = new TextDecoder('latin1').decode(
    bytes.subarray(at + localBytes, at + localBytes + nameBytes),
  )
  if (localName !== name) mismatch('its name')
  if (view.getUint16(at + 6, true) !== entry.flags) mismatch('its flags')
  if (view.getUint16(at + 8, true) !== entry.method) mismatch('its method')
  const [crc, compressed, size] = [14, 18, 22].map((offset) => view.getUint32(at + offset, true))
  const announced = crc === entry.crc && compressed === entry.compressed && size === entry.size
  const deferred = (entry.flags & flagDescriptor) !== 0 && crc === 0 && compressed === 0 && size === 0
  if (!announced && !deferred) mismatch('its CRC or sizes')
  if (hasZip64(bytes.subarray(dataStart - extraBytes, dataStart))) fail('zip64', `${name} is in ZIP64 form`)
  return dataStart
}

/** @returns Length of the data descriptor, whose signature is optional; 0 without one. */
function descriptorBytes(view: DataView, at: number, { name, flags, crc, compressed, size }: Entry): number {
  if ((flags & flagDescriptor) === 0) return 0
  for (const start of [at + 4, at]) {
    if (start + 12 > view.byteLength || (start > at && view.getUint32(at, true) !== descriptorSignature))
      continue
    const [a, b, c] = [0, 4, 8].map((offset) => view.getUint32(start + offset, true))
    if (a === crc && b === compressed && c === size) return start + 12 - at
  }
  return fail('header_mismatch', `the data descriptor of ${name} disagrees with the directory`)
}

function readEntry(data: Uint8Array, entry: Entry): Uint8Array {
  const content = entry.method === 0 ? data : inflateEntry(data, entry)
  if (content.length !== entry.size)
    fail('size_mismatch', `${entry.name} has ${content.length} bytes, not the declared ${entry.size}`)
  if (crc32(content) !== entry.crc) fail('crc_mismatch', `the CRC of ${entry.name} is wrong`)
  return content
}

function inflateEntry(data: Uint8Array, { name, size }: Entry): Uint8Array {
  try {
    return inflate(data, size)
  } catch (error) {
    if (!(error instanceof InflateError)) throw error
    const rule = error.failure === 'broken' ? 'broken_deflate' : 'size_mismatch'
    return fail(rule, `${name} does not inflate to its declared size: ${error.message}`)
  }
}

const u16 = (value: number): Uint8Array => new Uint8Array([value, value >>> 8])
const u32 = (value: number): Uint8Array => new Uint8Array([value, value >>> 8, value >>> 16, value >>> 24])
