import { concatBytes, hexToBytes, utf8 } from '../../encoding/index.ts'
import { packArtifact } from '../artifact.ts'
import type { ArtifactRule } from '../artifact-error.ts'
import type { ArtifactManifest } from '../manifest.ts'
import { entryBytesMax } from '../zip.ts'
import { bodies, buildWasm, exportsOf, importing, leb, vector } from './wasm-builder.ts'
import { buildZip, deflateStored, descriptorOf, type ZipEntry, type ZipShape } from './zip-builder.ts'

/** The known answer: a module that gives back its input and emits it as an event. */
export const echoWasm = hexToBytes(
  '0x0061736d0100000001140360047f7f7f7f0060017f017f60037f7f7f017e020d01046869766504656d69740000030302010205030100010607017f014180080b072303066d656d6f72790200075f5f616c6c6f6300010c5f5f686976655f656e74727900020a2a021101017f23002101230020006a240020010b1600411041062001200210002001ad4220862002ad840b0b0c010041100b066563686f6564002c046e616d650107010004656d6974021502010200016e01017002030002696401017002016c07050100026870',
)

export const echoManifest: ArtifactManifest = {
  compiler: 'ndsr-test-vectors/1',
  functions: ['echo'],
  language: 'wat',
  name: 'vector_echo',
  runtime: 'hive-wasm-v1',
  version: '1.0.0',
}

export const echoAddress = '0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454'

/** An artifact of the echo module; another name makes it another module. */
export const echoArtifact = (name = echoManifest.name) => packArtifact({ ...echoManifest, name }, echoWasm)

const manifestText = JSON.stringify(echoManifest)
const manifestEntry: ZipEntry = { name: 'manifest.json', content: utf8(manifestText) }
const wasmEntry: ZipEntry = { name: 'module.wasm', content: echoWasm }

const zip = (
  manifest: Partial<ZipEntry> = {},
  wasm: Partial<ZipEntry> = {},
  more: ZipEntry[] = [],
  shape: ZipShape = {},
) => buildZip([{ ...manifestEntry, ...manifest }, { ...wasmEntry, ...wasm }, ...more], shape)

const withManifest = (text: string | Uint8Array) =>
  zip({ content: typeof text === 'string' ? utf8(text) : text })
const withFields = (change: object) => withManifest(JSON.stringify({ ...echoManifest, ...change }))
const withWasm = (content: Uint8Array) => zip({}, { content })
const withBody = (...code: number[]) => withWasm(buildWasm({ 10: bodies([0x41, 0], [...code, 0x42, 0]) }))

const bytes = (length: number, value = 0) => new Uint8Array(length).fill(value)
/** 12 MiB of zeros behind 1:1000: each stored block of one byte is followed by a long copy of it. */
const bombBytes = 12 * 1024 * 1024

/** Raw deflate of `length` zeros with fixed codes, about a thousandth of them. */
function deflateZeros(length: number): Uint8Array {
  const output: number[] = []
  let buffer = 0
  let count = 0
  const put = (value: number, bits: number) => {
    for (let bit = 0; bit < bits; bit++) {
      buffer |= ((value >>> bit) & 1) << count
      if (++count === 8) {
        output.push(buffer)
        buffer = count = 0
      }
    }
  }
  const code = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--) put((value >>> bit) & 1, 1)
  }
  put(1, 1)
  put(1, 2)
  code(0x30, 8)
  for (let written = 1; written < length; written += 258) {
    code(0xc5, 8)
    code(0, 5)
  }
  code(0, 7)
  if (count > 0) output.push(buffer)
  return new Uint8Array(output)
}

/** Archives and modules that must be refused, each with the rule it breaks. */
export const hostileArtifacts: readonly { name: string; rule: ArtifactRule; bytes: Uint8Array }[] = [
  { name: 'nothing like a ZIP', rule: 'not_a_zip', bytes: bytes(1000, 7) },
  { name: 'an empty archive', rule: 'missing_entry', bytes: buildZip([]) },
  { name: 'no manifest', rule: 'missing_entry', bytes: buildZip([wasmEntry]) },
  { name: 'no module', rule: 'missing_entry', bytes: buildZip([manifestEntry]) },
  {
    name: 'a third entry',
    rule: 'unexpected_entry',
    bytes: zip({}, {}, [{ name: 'readme.md', content: utf8('x') }]),
  },
  { name: 'a path', rule: 'unexpected_entry', bytes: zip({ name: './manifest.json' }) },
  { name: 'a duplicate name', rule: 'duplicate_entry', bytes: zip({}, {}, [wasmEntry]) },
  { name: 'a directory', rule: 'directory', bytes: zip({}, {}, [{ name: 'assets/', content: bytes(0) }]) },
  { name: 'an entry marked as a directory', rule: 'directory', bytes: zip({ attributes: 0x10 }) },
  { name: 'encryption', rule: 'encrypted', bytes: zip({}, { flags: 1 }) },
  { name: 'strong encryption', rule: 'encrypted', bytes: zip({}, { flags: 0x40 }) },
  { name: 'a flag that means nothing here', rule: 'unsupported_entry', bytes: zip({}, { flags: 0x20 }) },
  { name: 'another compression', rule: 'unsupported_entry', bytes: zip({}, { method: 12 }) },
  { name: 'a ZIP64 extra field', rule: 'zip64', bytes: zip({}, { extra: new Uint8Array([1, 0, 0, 0]) }) },
  { name: 'a ZIP64 size', rule: 'zip64', bytes: zip({}, { size: 0xffffffff }) },
  { name: 'a ZIP64 count', rule: 'zip64', bytes: zip({}, {}, [], { total: 0xffff }) },
  { name: 'several disks', rule: 'several_disks', bytes: zip({}, {}, [], { disk: 1 }) },
  { name: 'an entry on another disk', rule: 'several_disks', bytes: zip({}, { disk: 2 }) },
  { name: 'overlapping entries', rule: 'overlapping_entries', bytes: zip({}, { offset: 0 }) },
  {
    name: 'bytes before the first entry',
    rule: 'unaccounted_bytes',
    bytes: zip({}, {}, [], { prefix: utf8('#!') }),
  },
  {
    name: 'bytes before the directory',
    rule: 'unaccounted_bytes',
    bytes: zip({}, {}, [], { gap: utf8('x') }),
  },
  { name: 'bytes after the comment', rule: 'not_a_zip', bytes: zip({}, {}, [], { suffix: utf8('x') }) },
  {
    name: 'a directory elsewhere',
    rule: 'unaccounted_bytes',
    bytes: zip({}, {}, [], { directoryOffset: 5 }),
  },
  { name: 'another local name', rule: 'header_mismatch', bytes: zip({}, { localName: 'module.wasn' }) },
  { name: 'another local size', rule: 'header_mismatch', bytes: zip({}, { localSize: 1 }) },
  {
    name: 'a lying data descriptor',
    rule: 'header_mismatch',
    bytes: zip({}, { flags: 8, descriptor: descriptorOf(echoWasm, 1) }),
  },
  { name: 'a wrong CRC', rule: 'crc_mismatch', bytes: zip({}, { crc: 1 }) },
  { name: 'a size above the content', rule: 'size_mismatch', bytes: zip({}, { size: echoWasm.length + 1 }) },
  {
    name: 'a deflated size below the content',
    rule: 'size_mismatch',
    bytes: zip({}, { method: 8, compressed: deflateStored(echoWasm), size: echoWasm.length - 1 }),
  },
  {
    name: 'a deflated size above the content',
    rule: 'size_mismatch',
    bytes: zip({}, { method: 8, compressed: deflateStored(echoWasm), size: echoWasm.length + 1 }),
  },
  {
    name: 'bytes after the deflate stream',
    rule: 'size_mismatch',
    bytes: zip({}, { method: 8, compressed: concatBytes(deflateStored(echoWasm), utf8('x')) }),
  },
  {
    name: 'a broken deflate stream',
    rule: 'broken_deflate',
    bytes: zip({}, { method: 8, compressed: bytes(50, 0xff) }),
  },
  {
    name: 'a module over 12 MiB',
    rule: 'entry_too_large',
    bytes: zip({}, { method: 8, compressed: deflateZeros(bombBytes + 1), size: bombBytes + 1, crc: 0 }),
  },
  {
    name: 'a bomb of 1:1000 that lies about its size',
    rule: 'size_mismatch',
    bytes: zip({}, { method: 8, compressed: deflateZeros(bombBytes), size: 1000 }),
  },
  { name: 'a manifest over 64 KiB', rule: 'entry_too_large', bytes: withManifest(' '.repeat(65_537)) },
  { name: 'a manifest that is no JSON', rule: 'manifest_json', bytes: withManifest('{') },
  {
    name: 'a manifest in UTF-16',
    rule: 'manifest_json',
    bytes: withManifest(new Uint8Array([0xff, 0xfe, 0x7b, 0])),
  },
  {
    name: 'a float in the manifest',
    rule: 'manifest_json',
    bytes: withManifest(manifestText.replace('"1.0.0"', '1.5')),
  },
  {
    name: 'a duplicate key in the manifest',
    rule: 'manifest_json',
    bytes: withManifest(manifestText.replace('{', '{"name":"twice",')),
  },
  { name: 'a manifest that is a list', rule: 'manifest', bytes: withManifest('[]') },
  { name: 'an unknown key in the manifest', rule: 'manifest', bytes: withFields({ author: 'me' }) },
  { name: 'a missing key in the manifest', rule: 'manifest', bytes: withFields({ name: undefined }) },
  { name: 'a name of 129 bytes', rule: 'manifest', bytes: withFields({ name: `${'ü'.repeat(64)}x` }) },
  { name: 'an empty compiler', rule: 'manifest', bytes: withFields({ compiler: '' }) },
  { name: 'a language in capitals', rule: 'manifest', bytes: withFields({ language: 'WAT' }) },
  { name: 'another runtime', rule: 'manifest', bytes: withFields({ runtime: 'hive-wasm-v2' }) },
  { name: 'no functions', rule: 'manifest', bytes: withFields({ functions: [] }) },
  { name: 'unsorted functions', rule: 'manifest', bytes: withFields({ functions: ['b', 'a'] }) },
  { name: 'a function twice', rule: 'manifest', bytes: withFields({ functions: ['a', 'a'] }) },
  { name: 'a function that is no name', rule: 'manifest', bytes: withFields({ functions: ['1st'] }) },
  {
    name: '257 functions',
    rule: 'manifest',
    bytes: withFields({ functions: Array.from({ length: 257 }, (_, i) => `f${1000 + i}`) }),
  },
  {
    name: 'a wrong address',
    rule: 'manifest_address',
    bytes: withFields({ manifest_address: `0x${'00'.repeat(32)}` }),
  },
  { name: 'no WebAssembly', rule: 'wasm', bytes: withWasm(utf8('print("hello")')) },
  { name: 'truncated WebAssembly', rule: 'wasm', bytes: withWasm(echoWasm.subarray(0, 120)) },
  {
    name: 'a component',
    rule: 'wasm',
    bytes: withWasm(new Uint8Array([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0])),
  },
  {
    name: 'a WASI import',
    rule: 'wasm_abi',
    bytes: withWasm(importing('wasi_snapshot_preview1', 'fd_write', 2)),
  },
  { name: 'an unknown import', rule: 'wasm_abi', bytes: withWasm(importing('env', 'seed', 2)) },
  {
    name: 'an import with another signature',
    rule: 'wasm_abi',
    bytes: withWasm(importing('hive', 'call', 2)),
  },
  {
    name: 'no __alloc',
    rule: 'wasm_abi',
    bytes: withWasm(
      buildWasm({
        7: exportsOf([
          ['memory', 2, 0],
          ['__hive_entry', 0, 1],
        ]),
      }),
    ),
  },
  {
    name: 'an entry with another signature',
    rule: 'wasm_abi',
    bytes: withWasm(
      buildWasm({
        7: exportsOf([
          ['memory', 2, 0],
          ['__alloc', 0, 0],
          ['__hive_entry', 0, 0],
        ]),
      }),
    ),
  },
  {
    name: 'no exported memory',
    rule: 'wasm_abi',
    bytes: withWasm(
      buildWasm({
        7: exportsOf([
          ['__alloc', 0, 0],
          ['__hive_entry', 0, 1],
        ]),
      }),
    ),
  },
  {
    name: 'a reserved export',
    rule: 'wasm_abi',
    bytes: withWasm(
      buildWasm({
        7: exportsOf([
          ['memory', 2, 0],
          ['__alloc', 0, 0],
          ['__hive_entry', 0, 1],
          ['__ndsr_stack', 0, 0],
        ]),
      }),
    ),
  },
  {
    name: 'a memory of 1025 pages',
    rule: 'wasm_abi',
    bytes: withWasm(buildWasm({ 5: vector([0, 0x81, 0x08]) })),
  },
  {
    name: 'a table of 100,001 elements',
    rule: 'wasm_abi',
    bytes: withWasm(buildWasm({ 4: vector([0x70, 0, 0xa1, 0x8d, 0x06]) })),
  },
  {
    name: 'five tables',
    rule: 'wasm_abi',
    bytes: withWasm(buildWasm({ 4: vector(...Array<number[]>(5).fill([0x70, 0, 1])) })),
  },
  { name: 'two memories', rule: 'wasm_feature', bytes: withWasm(buildWasm({ 5: vector([0, 1], [0, 1]) })) },
  { name: 'a shared memory', rule: 'wasm_feature', bytes: withWasm(buildWasm({ 5: vector([3, 1, 2]) })) },
  { name: 'a 64-bit memory', rule: 'wasm_feature', bytes: withWasm(buildWasm({ 5: vector([4, 1]) })) },
  { name: 'a custom page size', rule: 'wasm_feature', bytes: withWasm(buildWasm({ 5: vector([8, 1, 0]) })) },
  { name: 'a structure type', rule: 'wasm_feature', bytes: withWasm(buildWasm({ 1: vector([0x5f, 0]) })) },
  { name: 'an atomic operator', rule: 'wasm_feature', bytes: withBody(0xfe, 0x03, 0x00) },
  { name: 'relaxed SIMD', rule: 'wasm_feature', bytes: withBody(0xfd, 0x80, 0x02) },
  { name: 'wide arithmetic', rule: 'wasm_feature', bytes: withBody(0xfc, 0x13) },
  { name: 'an exception', rule: 'wasm_feature', bytes: withBody(0x08, 0x00) },
  { name: 'a typed function reference', rule: 'wasm_feature', bytes: withBody(0x14, 0x00) },
  { name: 'an operator that does not exist', rule: 'wasm', bytes: withBody(0x27) },
]

/** An artifact whose module promises `size` bytes from `deflated` ones, which nobody can inflate. */
export const promisingArtifact = (deflated: number, size: number): Uint8Array =>
  zip({}, { method: 8, compressed: bytes(deflated, 0xff), size, crc: 0 })

/** An artifact whose deflated module is in order, and ends with so many zeros. */
export function artifactOfZeros(count: number, deflate: (content: Uint8Array) => Uint8Array): Uint8Array {
  const content = concatBytes(
    buildWasm(),
    new Uint8Array([0, ...leb(count + 5), 4, ...utf8('fill')]),
    bytes(count),
  )
  return zip({}, { method: 8, content, compressed: deflate(content) })
}

/** Variations that change nothing and must be accepted. */
export const harmlessArtifacts: readonly { name: string; bytes: Uint8Array }[] = [
  { name: 'as the packager writes it', bytes: echoArtifact().bytes },
  { name: 'entries the other way round', bytes: buildZip([wasmEntry, manifestEntry]) },
  { name: 'timestamps', bytes: zip({ time: 0x5a21 }, { time: 0x1234 }) },
  {
    name: 'extra fields',
    bytes: zip({
      extra: new Uint8Array([0x55, 0x54, 1, 0, 3]),
      localExtra: new Uint8Array([0x75, 0x78, 0, 0]),
    }),
  },
  { name: 'a comment', bytes: zip({}, {}, [], { comment: utf8('made by hand') }) },
  { name: 'a name in UTF-8', bytes: zip({ flags: 1 << 11 }) },
  { name: 'deflated', bytes: zip({}, { method: 8, compressed: deflateStored(echoWasm, 3) }) },
  {
    name: 'a data descriptor',
    bytes: zip({}, { flags: 8, descriptor: descriptorOf(echoWasm, echoWasm.length) }),
  },
  {
    name: 'a data descriptor without signature',
    bytes: zip({}, { flags: 8, descriptor: descriptorOf(echoWasm, echoWasm.length, false) }),
  },
  { name: 'its own address in the manifest', bytes: withFields({ manifest_address: echoAddress }) },
  {
    name: 'a manifest with blanks and another key order',
    bytes: withManifest(JSON.stringify(Object.fromEntries(Object.entries(echoManifest).reverse()), null, 2)),
  },
]

/**
 * An artifact of exactly `size` bytes, at least 12 MiB and a little: the largest module there may be, deflated, in a
 * stream that empty blocks and a comment stretch to the size.
 */
export function artifactOfSize(size: number): Uint8Array {
  const wasm = buildWasm()
  const section = [0, ...leb(entryBytesMax['module.wasm'] - wasm.length - 5), 4, ...utf8('fill')]
  const content = new Uint8Array(entryBytesMax['module.wasm'])
  content.set(wasm)
  content.set(section, wasm.length)
  let state = 1
  for (let at = wasm.length + section.length; at < content.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    content[at] = state >>> 24
  }
  const build = (blocks: number, comment: number) =>
    zip({}, { content, method: 8, compressed: deflateStored(content, blocks) }, [], {
      comment: bytes(comment),
    })
  const missing = size - build(0, 0).length
  return build(Math.floor(missing / 5), missing % 5)
}
