import { concatBytes, hexToBytes, utf8 } from '../../encoding/index.ts'
import { packArtifact } from '../artifact.ts'
import type { ArtifactRule } from '../artifact-error.ts'
import type { ArtifactManifest } from '../manifest.ts'
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
const hostile: { readonly [Rule in ArtifactRule]?: Readonly<Record<string, Uint8Array>> } = {
  not_a_zip: {
    'nothing like a ZIP': bytes(1000, 7),
    'bytes after the comment': zip({}, {}, [], { suffix: utf8('x') }),
  },
  missing_entry: {
    'an empty archive': buildZip([]),
    'no manifest': buildZip([wasmEntry]),
    'no module': buildZip([manifestEntry]),
  },
  unexpected_entry: {
    'a third entry': zip({}, {}, [{ name: 'readme.md', content: utf8('x') }]),
    'a path': zip({ name: './manifest.json' }),
  },
  duplicate_entry: {
    'a duplicate name': zip({}, {}, [wasmEntry]),
  },
  directory: {
    'a directory': zip({}, {}, [{ name: 'assets/', content: bytes(0) }]),
    'an entry marked as a directory': zip({ attributes: 0x10 }),
  },
  encrypted: {
    encryption: zip({}, { flags: 1 }),
    'strong encryption': zip({}, { flags: 0x40 }),
  },
  unsupported_entry: {
    'a flag that means nothing here': zip({}, { flags: 0x20 }),
    'another compression': zip({}, { method: 12 }),
  },
  zip64: {
    'a ZIP64 extra field': zip({}, { extra: new Uint8Array([1, 0, 0, 0]) }),
    'a ZIP64 extra field with a size, after another field': zip(
      {},
      { extra: new Uint8Array([9, 9, 1, 0, 7, 1, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]) },
    ),
    'a ZIP64 size': zip({}, { size: 0xffffffff }),
    'a ZIP64 count': zip({}, {}, [], { total: 0xffff }),
  },
  several_disks: {
    'several disks': zip({}, {}, [], { disk: 1 }),
    'an entry on another disk': zip({}, { disk: 2 }),
  },
  overlapping_entries: {
    'overlapping entries': zip({}, { offset: 0 }),
  },
  unaccounted_bytes: {
    'bytes before the first entry': zip({}, {}, [], { prefix: utf8('#!') }),
    'bytes before the directory': zip({}, {}, [], { gap: utf8('x') }),
    'a directory elsewhere': zip({}, {}, [], { directoryOffset: 5 }),
  },
  header_mismatch: {
    'another local name': zip({}, { localName: 'module.wasn' }),
    'another local size': zip({}, { localSize: 1 }),
    'a lying data descriptor': zip({}, { flags: 8, descriptor: descriptorOf(echoWasm, 1) }),
  },
  crc_mismatch: {
    'a wrong CRC': zip({}, { crc: 1 }),
  },
  size_mismatch: {
    'a size above the content': zip({}, { size: echoWasm.length + 1 }),
    'a deflated size below the content': zip(
      {},
      { method: 8, compressed: deflateStored(echoWasm), size: echoWasm.length - 1 },
    ),
    'a deflated size above the content': zip(
      {},
      { method: 8, compressed: deflateStored(echoWasm), size: echoWasm.length + 1 },
    ),
    'bytes after the deflate stream': zip(
      {},
      { method: 8, compressed: concatBytes(deflateStored(echoWasm), utf8('x')) },
    ),
    'a bomb of 1:1000 that lies about its size': zip(
      {},
      { method: 8, compressed: deflateZeros(bombBytes), size: 1000 },
    ),
  },
  broken_deflate: {
    'a broken deflate stream': zip({}, { method: 8, compressed: bytes(50, 0xff) }),
  },
  entry_too_large: {
    'a module over 12 MiB': zip(
      {},
      { method: 8, compressed: deflateZeros(bombBytes + 1), size: bombBytes + 1, crc: 0 },
    ),
    'a manifest over 64 KiB': withManifest(' '.repeat(65_537)),
  },
  manifest_json: {
    'a manifest that is no JSON': withManifest('{'),
    'a manifest in UTF-16': withManifest(new Uint8Array([0xff, 0xfe, 0x7b, 0])),
    'a float in the manifest': withManifest(manifestText.replace('"1.0.0"', '1.5')),
    'a duplicate key in the manifest': withManifest(manifestText.replace('{', '{"name":"twice",')),
  },
  manifest: {
    'a manifest that is a list': withManifest('[]'),
    'an unknown key in the manifest': withFields({ author: 'me' }),
    'a missing key in the manifest': withFields({ name: undefined }),
    'a name of 129 bytes': withFields({ name: `${'ü'.repeat(64)}x` }),
    'an empty compiler': withFields({ compiler: '' }),
    'a language in capitals': withFields({ language: 'WAT' }),
    'another runtime': withFields({ runtime: 'hive-wasm-v2' }),
    'no functions': withFields({ functions: [] }),
    'unsorted functions': withFields({ functions: ['b', 'a'] }),
    'a function twice': withFields({ functions: ['a', 'a'] }),
    'a function that is no name': withFields({ functions: ['1st'] }),
    '257 functions': withFields({ functions: Array.from({ length: 257 }, (_, i) => `f${1000 + i}`) }),
  },
  manifest_address: {
    'a wrong address': withFields({ manifest_address: `0x${'00'.repeat(32)}` }),
  },
  wasm: {
    'no WebAssembly': withWasm(utf8('print("hello")')),
    'truncated WebAssembly': withWasm(echoWasm.subarray(0, 120)),
    'a component': withWasm(new Uint8Array([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0])),
    'an operator that does not exist': withBody(0x27),
  },
  wasm_abi: {
    'a WASI import': withWasm(importing('wasi_snapshot_preview1', 'fd_write', 2)),
    'an unknown import': withWasm(importing('env', 'seed', 2)),
    'an import with another signature': withWasm(importing('hive', 'call', 2)),
    'no __alloc': withWasm(buildWasm({ 7: exportsOf(['memory', 2, 0], ['__hive_entry', 0, 1]) })),
    'an entry with another signature': withWasm(
      buildWasm({ 7: exportsOf(['memory', 2, 0], ['__alloc', 0, 0], ['__hive_entry', 0, 0]) }),
    ),
    'no exported memory': withWasm(buildWasm({ 7: exportsOf(['__alloc', 0, 0], ['__hive_entry', 0, 1]) })),
    'a reserved export': withWasm(
      buildWasm({
        7: exportsOf(['memory', 2, 0], ['__alloc', 0, 0], ['__hive_entry', 0, 1], ['__ndsr_stack', 0, 0]),
      }),
    ),
    'a memory of 1025 pages': withWasm(buildWasm({ 5: vector([0, 0x81, 0x08]) })),
    'a table of 100,001 elements': withWasm(buildWasm({ 4: vector([0x70, 0, 0xa1, 0x8d, 0x06]) })),
    'five tables': withWasm(buildWasm({ 4: vector(...Array<number[]>(5).fill([0x70, 0, 1])) })),
  },
  wasm_feature: {
    'two memories': withWasm(buildWasm({ 5: vector([0, 1], [0, 1]) })),
    'a shared memory': withWasm(buildWasm({ 5: vector([3, 1, 2]) })),
    'a 64-bit memory': withWasm(buildWasm({ 5: vector([4, 1]) })),
    'a custom page size': withWasm(buildWasm({ 5: vector([8, 1, 0]) })),
    'a structure type': withWasm(buildWasm({ 1: vector([0x5f, 0]) })),
    'an atomic operator': withBody(0xfe, 0x03, 0x00),
    'relaxed SIMD': withBody(0xfd, 0x80, 0x02),
    'wide arithmetic': withBody(0xfc, 0x13),
    'an exception': withBody(0x08, 0x00),
    'a typed function reference': withBody(0x14, 0x00),
  },
}

/** The same one by one. */
export const hostileArtifacts = Object.entries(hostile).flatMap(([rule, byName]) =>
  Object.entries(byName).map(([name, bytes]) => ({ name, rule, bytes })),
)

/** An artifact whose module promises `size` bytes from `deflated` ones, which nobody can inflate. */
export const promisingArtifact = (deflated: number, size: number): Uint8Array =>
  zip({}, { method: 8, compressed: bytes(deflated, 0xff), size, crc: 0 })

/** An artifact whose deflated module is valid, and ends with `count` zeros. */
export function artifactOfZeros(count: number, deflate: (content: Uint8Array) => Uint8Array): Uint8Array {
  const content = concatBytes(
    buildWasm(),
    new Uint8Array([0, ...leb(count + 5), 4, ...utf8('fill')]),
    bytes(count),
  )
  return zip({}, { method: 8, content, compressed: deflate(content) })
}

/** Variations that change nothing and must be accepted. */
export const harmlessArtifacts: Readonly<Record<string, Uint8Array>> = {
  'as the packager writes it': echoArtifact().bytes,
  'entries the other way round': buildZip([wasmEntry, manifestEntry]),
  timestamps: zip({ time: 0x5a21 }, { time: 0x1234 }),
  'extra fields': zip({
    extra: new Uint8Array([0x55, 0x54, 1, 0, 3]),
    localExtra: new Uint8Array([0x75, 0x78, 0, 0]),
  }),
  'a comment': zip({}, {}, [], { comment: utf8('made by hand') }),
  'a name in UTF-8': zip({ flags: 1 << 11 }),
  deflated: zip({}, { method: 8, compressed: deflateStored(echoWasm, 3) }),
  'a data descriptor': zip({}, { flags: 8, descriptor: descriptorOf(echoWasm, echoWasm.length) }),
  'a data descriptor without signature': zip(
    {},
    { flags: 8, descriptor: descriptorOf(echoWasm, echoWasm.length, false) },
  ),
  'its own address in the manifest': withFields({ manifest_address: echoAddress }),
  'a manifest with blanks and another key order': withManifest(
    JSON.stringify(Object.fromEntries(Object.entries(echoManifest).reverse()), null, 2),
  ),
}
