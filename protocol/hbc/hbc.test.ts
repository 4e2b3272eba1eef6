import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { encodeCanonicalJson, utf8 } from '../encoding/index.ts'
import { errorOf, orFails, property } from '../testing/property.ts'
import { ArtifactError, openArtifact, packArtifact, parseArtifact } from './artifact.ts'
import { crc32 } from './crc32.ts'
import { InflateError, inflate } from './inflate.ts'
import {
  artifactOfZeros,
  echoAddress,
  echoArtifact,
  echoManifest,
  echoWasm,
  harmlessArtifacts,
  hostileArtifacts,
  promisingArtifact,
} from './testing/artifacts.ts'
import { emptyBlocks } from './testing/deflate-builder.ts'
import { readContainer, writeContainer } from './zip.ts'

describe('parseArtifact', () => {
  test('the echo module has its known address', () => {
    const { manifest, manifestAddress, wasm, guest } = parseArtifact(echoArtifact().bytes)
    expect(manifestAddress).toBe(echoAddress)
    expect(manifest).toEqual({ ...echoManifest, manifest_address: echoAddress })
    expect(wasm).toEqual(echoWasm)
    expect(guest).toMatchObject({ imports: ['hive.emit'], stateless: true })
  })

  test.each(hostileArtifacts.map(({ name, rule, bytes }) => [name, rule, bytes] as const))(
    'refuses: %s (%s)',
    (_, rule, bytes) => {
      expect(() => parseArtifact(bytes)).toThrowError(
        expect.objectContaining({ name: 'ArtifactError', rule }),
      )
    },
  )

  test.each(Object.entries(harmlessArtifacts))('accepts: %s', (_, bytes) => {
    expect(parseArtifact(bytes).manifestAddress).toBe(echoAddress)
  })

  test('refuses an artifact of 16 MiB and one byte', () => {
    expect(() => parseArtifact(new Uint8Array(16 * 1024 * 1024 + 1))).toThrowError(
      expect.objectContaining({ rule: 'artifact_too_large' }),
    )
  })

  describe('of an artifact that enters the network', () => {
    const ruleOf = (deflated: number, size: number) =>
      errorOf(ArtifactError, () => parseArtifact(promisingArtifact(deflated, size), { isNew: true })).rule

    test('12 KiB that declare 12 MiB are refused before a byte is inflated, and the error states the fix', () => {
      const bomb = promisingArtifact(12_234, 12 * 1024 * 1024)
      // Its stream cannot be inflated.
      expect(() => parseArtifact(bomb)).toThrowError(expect.objectContaining({ rule: 'broken_deflate' }))
      expect(() => parseArtifact(bomb, { isNew: true })).toThrowError(
        expect.objectContaining({
          rule: 'compression_ratio',
          message: expect.stringMatching(
            /^module\.wasm declares 12582912 bytes from 12234 deflated ones, a ratio of 1029; at most 100 .* stored/,
          ),
        }),
      )
    })

    test('a ratio of 100, and up to 64 KiB at any ratio, are accepted', () => {
      expect(ruleOf(1_000, 100_000)).toBe('broken_deflate')
      expect(ruleOf(1_000, 100_001)).toBe('compression_ratio')
      expect(ruleOf(20, 65_536)).toBe('broken_deflate')
      expect(ruleOf(20, 65_537)).toBe('compression_ratio')
      expect(ruleOf(0, 65_537)).toBe('compression_ratio')
    })

    test('an existing artifact is read at any ratio, and a new one if its zeros are stored uncompressed', () => {
      const there = artifactOfZeros(1_000_000, (content) => deflateRawSync(content))
      const { wasm, manifest, manifestAddress } = parseArtifact(there)
      expect(() => parseArtifact(there, { isNew: true })).toThrowError(ArtifactError)
      const { bytes } = packArtifact(manifest, wasm)
      expect(parseArtifact(bytes, { isNew: true }).manifestAddress).toBe(manifestAddress)
    })
  })

  test('lists only the first hundred problems of a manifest', () => {
    const unknown = Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 0])
    const broken = { ...Object.fromEntries(unknown), ...echoManifest, name: '' }
    const manifest = new TextEncoder().encode(JSON.stringify(broken))
    expect(() => parseArtifact(writeContainer({ manifest, wasm: echoWasm }))).toThrowError(
      expect.objectContaining({ problems: expect.objectContaining({ length: 100 }) }),
    )
  })

  test('lists every problem of a manifest at once', () => {
    const broken = { ...echoManifest, name: '', functions: ['ok', 'a b', 'a'], extra: 1, compiler: undefined }
    const bytes = writeContainer({
      manifest: new TextEncoder().encode(JSON.stringify(broken)),
      wasm: echoWasm,
    })
    expect(() => parseArtifact(bytes)).toThrowError(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ path: 'name', code: 'invalid_value' }),
          expect.objectContaining({ path: 'compiler', code: 'missing' }),
          expect.objectContaining({ path: 'functions[1]', code: 'invalid_value' }),
          expect.objectContaining({ path: 'functions[2]', code: 'invalid_value' }),
          expect.objectContaining({ path: 'extra', code: 'unknown_key' }),
        ],
      }),
    )
  })

  const { bytes } = echoArtifact()
  property(
    'bytes changed anywhere are refused with a rule, or give the same module',
    [fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })],
    (at, change) => {
      const changed = bytes.slice()
      changed[at]! ^= change
      orFails(() => expect(parseArtifact(changed).manifestAddress).toBe(echoAddress), ArtifactError)
    },
    { numRuns: 2000 },
  )

  test('property: an artifact truncated at any byte is refused with a rule', () => {
    const { bytes } = echoArtifact()
    for (let length = 0; length < bytes.length; length++)
      expect(() => parseArtifact(bytes.subarray(0, length))).toThrowError(ArtifactError)
  })
})

/** A number in `bytes` bytes as hex, the lowest first. */
const hex = (value: number, bytes: number): string =>
  Buffer.from(Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) % 256)).toString('hex')
const textHex = (text: string): string => Buffer.from(text).toString('hex')

describe('packArtifact', () => {
  test('writes the same bytes for the same module, whatever the order of keys', () => {
    const reversed = Object.fromEntries(
      Object.entries(echoManifest).reverse(),
    ) as unknown as typeof echoManifest
    expect(packArtifact(reversed, echoWasm).bytes).toEqual(echoArtifact().bytes)
  })

  test('writes the same bytes as other packagers of this format', () => {
    const { bytes } = echoArtifact()
    const manifest = utf8(encodeCanonicalJson({ ...echoManifest, manifest_address: echoAddress }))
    const entries = [
      ['manifest.json', manifest, 0],
      ['module.wasm', echoWasm, 30 + 13 + manifest.length],
    ] as const
    const common = (content: Uint8Array, name: string) =>
      hex(10, 2) +
      hex(0, 6) +
      hex(0x21, 2) +
      hex(crc32(content), 4) +
      hex(content.length, 4).repeat(2) +
      hex(name.length, 2) +
      hex(0, 2)
    const files = entries.map(
      ([name, content]) =>
        hex(0x04034b50, 4) + common(content, name) + textHex(name) + Buffer.from(content).toString('hex'),
    )
    const directory = entries.map(
      ([name, content, offset]) =>
        hex(0x02014b50, 4) +
        hex(0x031e, 2) +
        common(content, name) +
        hex(0, 6) +
        hex(0o100644 * 65_536, 4) +
        hex(offset, 4) +
        textHex(name),
    )
    const [filesHex, directoryHex] = [files.join(''), directory.join('')]
    const end =
      hex(0x06054b50, 4) +
      hex(0, 4) +
      hex(2, 2).repeat(2) +
      hex(directoryHex.length / 2, 4) +
      hex(filesHex.length / 2, 4) +
      hex(0, 2)
    expect(Buffer.from(bytes).toString('hex')).toBe(filesHex + directoryHex + end)
  })

  test('writes the address into the manifest, keeps a correct one, and refuses a wrong one', () => {
    const { bytes, manifestAddress } = echoArtifact()
    expect(openArtifact(bytes).manifest).toEqual({ ...echoManifest, manifest_address: echoAddress })
    const again = packArtifact({ ...echoManifest, manifest_address: manifestAddress }, echoWasm)
    expect(again).toEqual({ bytes, manifestAddress })
    const wrong = { ...echoManifest, manifest_address: `0x${'00'.repeat(32)}` }
    expect(() => packArtifact(wrong, echoWasm)).toThrowError(
      expect.objectContaining({ rule: 'manifest_address' }),
    )
  })

  test('does not pack an artifact that would be refused', () => {
    expect(() => packArtifact({ ...echoManifest, name: '' }, echoWasm)).toThrowError(ArtifactError)
    expect(() => packArtifact(echoManifest, echoWasm.subarray(1))).toThrowError(ArtifactError)
  })

  test('a stored module is a view of the artifact, not a copy', () => {
    const { bytes } = echoArtifact()
    expect(openArtifact(bytes).wasm.buffer).toBe(bytes.buffer)
  })
})

describe('the container', () => {
  property(
    'a written artifact is read back',
    [fc.uint8Array({ maxLength: 500 }), fc.uint8Array({ maxLength: 5000 })],
    (manifest, wasm) => {
      expect(readContainer(writeContainer({ manifest, wasm }))).toEqual({ manifest, wasm })
    },
  )
})

describe('inflate', () => {
  const contents = fc.oneof(
    fc.uint8Array({ maxLength: 3000 }),
    fc.array(fc.constantFrom(0, 1, 2, 250), { maxLength: 3000 }).map((values) => new Uint8Array(values)),
    fc.string({ maxLength: 3000 }).map((text) => new TextEncoder().encode(text.repeat(5))),
  )

  property(
    'gives back what zlib deflated, at every level and strategy',
    [contents, fc.nat(9), fc.nat(4)],
    (content, level, strategy) => {
      const deflated = new Uint8Array(deflateRawSync(content, { level, strategy }))
      expect(inflate(deflated, content.length)).toEqual(content)
    },
    { numRuns: 300 },
  )

  const content = new TextEncoder().encode('the quick brown fox '.repeat(40))
  const deflated = new Uint8Array(deflateRawSync(content))
  property(
    'a changed stream is refused or gives the announced length, and always ends',
    [fc.nat(deflated.length - 1), fc.integer({ min: 1, max: 255 })],
    (at, change) => {
      const changed = deflated.slice()
      changed[at]! ^= change
      orFails(() => expect(inflate(changed, content.length)).toHaveLength(content.length), InflateError)
    },
    { numRuns: 2000 },
  )

  test('decodes codes of every length', () => {
    // Counts that grow as the Fibonacci numbers do give codes up to the longest of 15 bits.
    const counts = [1, 1]
    while (counts.length < 20) counts.push(counts.at(-1)! + counts.at(-2)!)
    const content = new Uint8Array(counts.flatMap((count, symbol) => Array<number>(count).fill(symbol * 7)))
    const deflated = deflateRawSync(content, { strategy: constants.Z_HUFFMAN_ONLY })
    expect(inflate(new Uint8Array(deflated), content.length)).toEqual(content)
  })

  test('does work proportional to the stream, even if it contains only code tables', () => {
    expect(inflateRawSync(emptyBlocks(3))).toHaveLength(0)
    const stream = emptyBlocks(3_000)
    let written = 0
    /** Counts the elements that are made or filled: the rest of the work is reading the stream. */
    const counting = <Kind extends typeof Uint8Array | typeof Uint16Array>(kind: Kind) =>
      class extends (kind as typeof Uint8Array) {
        constructor(length: number) {
          super(length)
          written += length
        }
        override fill(value: number, start = 0, end = this.length): this {
          written += end - start
          return super.fill(value, start, end)
        }
      }
    vi.stubGlobal('Uint8Array', counting(Uint8Array))
    vi.stubGlobal('Uint16Array', counting(Uint16Array))
    try {
      expect(inflate(stream, 0)).toHaveLength(0)
    } finally {
      vi.unstubAllGlobals()
    }
    expect(written).toBeGreaterThan(stream.length)
    // A table for the longest codes in each block would be more than 1,000 elements for a byte.
    expect(written).toBeLessThan(64 * stream.length)
  })

  test('reads streams that zlib writes with its smallest blocks', () => {
    const content = new Uint8Array(200_000).map((_, i) => (i * i * 2654435761) >>> 24)
    for (const memLevel of [1, 2, 9])
      expect(inflate(deflateRawSync(content, { memLevel, level: 1 }), content.length)).toEqual(content)
  })

  test('refuses a stream that is broken, longer or shorter than announced, or followed by other bytes', () => {
    const content = new Uint8Array(5000).fill(9)
    const deflated = new Uint8Array(deflateRawSync(content))
    const failure = (input: Uint8Array, length: number) =>
      errorOf(InflateError, () => inflate(input, length)).failure
    expect(failure(deflated, 4999)).toBe('too_long')
    expect(failure(deflated, 5001)).toBe('too_short')
    expect(failure(new Uint8Array([...deflated, 0]), 5000)).toBe('trailing_bytes')
    expect(failure(deflated.subarray(0, -1), 5000)).toBe('broken')
    expect(failure(new Uint8Array(), 0)).toBe('broken')
  })
})

test('crc32 is correct for the standard check text', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
})
