import { deflateSync } from 'node:zlib'
import { PhotonImage } from '@cf-wasm/photon/workerd'
import { describe, expect, test } from 'vitest'
import { concatBytes, joinBytes } from '../../protocol/encoding/index.ts'
import { cleanImage } from './clean.ts'
import type { ImageType } from './image.ts'
import {
  ascii,
  inks,
  jpeg,
  jpegWith,
  png,
  pngChunk,
  pngRows,
  pngSignature,
  progressive,
  riff,
  u32,
  webp,
  webpChunk,
  webpFrame,
  webpHeader,
} from './testing/images.ts'

const compress = (bytes: Uint8Array) => new Uint8Array(deflateSync(bytes))
const typeOf = (bytes: Uint8Array): ImageType =>
  bytes[0] === 0x89 ? 'image/png' : bytes[0] === 0xff ? 'image/jpeg' : 'image/webp'
const clean = (bytes: Uint8Array, type = typeOf(bytes)) => cleanImage(bytes, type)
const refusal = async (bytes: Uint8Array, type?: ImageType): Promise<string> => {
  try {
    await clean(bytes, type)
  } catch (error) {
    expect(error).toMatchObject({ name: 'ImageError' })
    return (error as Error).message
  }
  throw new Error('not refused')
}
const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)
const pixelsOf = (bytes: Uint8Array) => {
  const image = PhotonImage.new_from_byteslice(bytes)
  const pixels = image.get_raw_pixels()
  image.free()
  return pixels
}

describe('images that are accepted', () => {
  test.each([
    ['a gray PNG', png(), 8, 8],
    ['a PNG of one pixel', png({ width: 1, height: 1 }), 1, 1],
    ['a PNG with 16 bits and transparency', png({ depth: 16, colour: 6 }), 8, 8],
    ['a PNG of bits', png({ width: 9, depth: 1 }), 9, 8],
    ['a PNG with a palette', png({ colour: 3, before: [pngChunk('PLTE', new Uint8Array(3))] }), 8, 8],
    ['a JPEG', jpeg(), 16, 12],
    ['a JPEG of four inks', inks(), 8, 8],
    ['a progressive JPEG', progressive(9), 2048, 2048],
    ['a WebP', webp(), 16, 12],
    ['a PNG as large as may be', png({ width: 4096, height: 4096, depth: 1 }), 4096, 4096],
    ['a PNG as large as is decoded', png({ width: 2048, height: 2048 }), 2048, 2048],
    ['a PNG longer than is decoded', png({ width: 4096, height: 1 }), 4096, 1],
  ])('%s stays unchanged', async (_, bytes, width, height) => {
    const cleaned = await clean(bytes)
    expect(cleaned).toMatchObject({ width, height })
    expect(cleaned.bytes).toEqual(bytes)
  })

  test('an interlaced PNG has the rows of its seven passes', async () => {
    const [columns, counts] = [
      [2, 1, 3, 2, 5, 4, 9],
      [2, 2, 1, 3, 2, 5, 4],
    ] as const
    const rows = concatBytes(...columns.map((column, pass) => new Uint8Array(counts[pass]! * (1 + column))))
    const shape = { width: 9, height: 9, interlace: 1 }
    expect(await clean(png({ ...shape, rows: compress(rows) }))).toMatchObject({ width: 9, height: 9 })
    expect(await refusal(png({ ...shape, rows: compress(rows.slice(1)) }))).toMatch(/fewer pixels/)
  })

  test('pixels may be divided into many chunks', async () => {
    const rows = compress(pngRows())
    const whole = png({ rows: rows.slice(0, 3), after: [pngChunk('IDAT', rows.slice(3)), pngChunk('IDAT')] })
    expect((await clean(whole)).bytes).toEqual(whole)
    const empty = pngChunk('IDAT')
    const parted = png({ after: [joinBytes(Array.from({ length: 170_000 }, () => empty))] })
    expect((await clean(parted)).bytes.length).toBe(parted.length)
  })

  test('a PNG keeps its colour profile', async () => {
    const whole = png({ before: [profileChunk(compress(new Uint8Array(3_000)))] })
    expect((await clean(whole)).bytes).toEqual(whole)
  })

  test('a JPEG may repeat a segment any number of times', async () => {
    const restart = Uint8Array.of(0xff, 0xdd, 0, 4, 0, 0)
    const whole = joinBytes([
      jpeg().slice(0, 2),
      ...Array.from({ length: 340_000 }, () => restart),
      jpeg().slice(2),
    ])
    expect(Buffer.compare((await clean(whole)).bytes, whole)).toBe(0)
  })
})

describe('metadata', () => {
  test('is removed from a PNG, and chunks that decide its colours stay', async () => {
    const gamma = pngChunk('gAMA', u32(45_455))
    const whole = png({
      before: [gamma, pngChunk('tEXt', ascii('Comment\0a secret')), pngChunk('eXIf', ascii('MM secret'))],
      after: [
        pngChunk('iTXt', ascii('secret')),
        pngChunk('tIME', new Uint8Array(7)),
        pngChunk('prVt', ascii('secret')),
      ],
    })
    const { bytes } = await clean(whole)
    expect(bytes).toEqual(png({ before: [gamma] }))
    expect(text(bytes)).not.toContain('secret')
  })

  test('is removed from a JPEG, and its orientation, colour profile and pixels stay', async () => {
    const plain = jpeg()
    const exif = concatBytes(
      ascii('Exif\0\0II*\0'),
      Uint8Array.of(8, 0, 0, 0, 2, 0),
      Uint8Array.of(0x0f, 1, 2, 0, 7, 0, 0, 0, 38, 0, 0, 0),
      Uint8Array.of(0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0),
      u32(0),
      ascii('secret\0'),
    )
    const whole = jpegWith(
      plain,
      [0xe1, exif],
      [0xe1, ascii('http://ns.adobe.com/xap/1.0/\0<x>secret</x>')],
      [0xe2, concatBytes(ascii('ICC_PROFILE\0'), Uint8Array.of(1, 1, 9, 9))],
      [0xed, ascii('Photoshop 3.0\0secret')],
      [0xfe, ascii('<script>secret</script>')],
    )
    const { bytes } = await clean(whole)
    expect(text(bytes)).not.toContain('secret')
    expect(text(bytes)).toContain('ICC_PROFILE')
    expect(text(bytes)).toContain('Exif\0\0MM\0*')
    expect(pixelsOf(bytes)).toEqual(pixelsOf(plain))
    expect((await clean(bytes)).bytes).toEqual(bytes)
  })

  test('such as a thumbnail is removed from a JFIF header', async () => {
    const plain = jpeg()
    const at = text(plain).indexOf('JFIF\0')
    const header = plain.slice(at, at + 14)
    header.set([1, 1], 12)
    const whole = jpegWith(concatBytes(plain.slice(0, 2), plain.slice(at + 14)), [
      0xe0,
      concatBytes(header, ascii('abc')),
    ])
    expect((await clean(whole)).bytes).toEqual(plain)
  })

  test('is removed behind the colour transform that Adobe names, and a segment without one is dropped', async () => {
    const adobe = concatBytes(ascii('Adobe'), Uint8Array.of(0, 100, 0, 0, 0, 0, 1))
    const whole = jpegWith(jpeg(), [0xee, concatBytes(adobe, ascii('secret'))])
    expect((await clean(whole)).bytes).toEqual(jpegWith(jpeg(), [0xee, adobe]))
    expect((await clean(jpegWith(jpeg(), [0xee, adobe.slice(0, 11)]))).bytes).toEqual(jpeg())
  })

  test('is removed from an extended WebP, whose header then no longer lists it', async () => {
    const plain = webp()
    const whole = riff(
      webpHeader(0x0c | 0x20, 16, 12),
      webpChunk('ICCP', ascii('profile')),
      webpFrame(plain),
      webpChunk('EXIF', ascii('secret')),
      webpChunk('XMP ', ascii('<x>secret</x>')),
      webpChunk('abcd', ascii('secret')),
    )
    const { bytes } = await clean(whole)
    expect(bytes).toEqual(
      riff(webpHeader(0x20, 16, 12), webpChunk('ICCP', ascii('profile')), webpFrame(plain)),
    )
    expect(pixelsOf(bytes)).toEqual(pixelsOf(plain))
  })
})

/** The bytes with some of them changed. */
const patched = (bytes: Uint8Array, at: number, ...values: number[]): Uint8Array => {
  const copy = bytes.slice()
  copy.set(values, at)
  return copy
}
const profileChunk = (packed: Uint8Array) => pngChunk('iCCP', concatBytes(ascii('Display\0\0'), packed))
const frameAt = (bytes: Uint8Array) => bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc0)

describe('images that are refused', () => {
  const animation = pngChunk('acTL', concatBytes(u32(2), u32(0)))
  test.each<[string, Uint8Array, RegExp, ImageType?]>([
    ['nothing', new Uint8Array(), /is no/, 'image/png'],
    ['text', ascii('a picture'), /is no/, 'image/png'],
    ['an SVG', ascii('<svg xmlns="http://www.w3.org/2000/svg"/>'), /is no/, 'image/png'],
    ['an SVG behind the first bytes of a PNG', concatBytes(pngSignature, ascii('<svg/>')), /./],
    ['a GIF', ascii('GIF89a\x01\0\x01\0'), /is no/, 'image/png'],
    ['a PNG that is called a JPEG', png(), /is not of the type image\/jpeg/, 'image/jpeg'],
    ['a JPEG that is called a WebP', jpeg(), /is not of the type image\/webp/, 'image/webp'],

    ['an animated PNG', png({ before: [animation] }), /animated/],
    ['a PNG with a page behind it', concatBytes(png(), ascii('<html>')), /bytes after its end/],
    ['a PNG with another behind it', concatBytes(png(), png()), /bytes after its end/],
    [
      'a PNG of 65535×65535',
      png({ width: 65_535, height: 65_535, rows: compress(pngRows()) }),
      /65535×65535/,
    ],
    ['a PNG one pixel too wide', png({ width: 4_097, height: 1 }), /4097×1/],
    ['a PNG of no width', png({ width: 0 }), /./],
    ['a PNG with a wrong checksum', patched(png(), 31, 0), /checksum/],
    ['a PNG with a row too few', png({ rows: compress(pngRows({ height: 7 })) }), /fewer/],
    ['a PNG with a byte too many', png({ rows: compress(concatBytes(pngRows(), Uint8Array.of(0))) }), /more/],
    ['a PNG that unpacks to 64 MB', png({ rows: compress(new Uint8Array(64_000_000)) }), /more/],
    ['a PNG with a filter nobody knows', png({ rows: compress(pngRows().fill(9)) }), /filter/],
    ['a PNG whose pixels are no deflate', png({ rows: ascii('not compressed') }), /cannot be read/],
    ['a PNG whose pixels break off', png({ rows: compress(pngRows()).slice(0, -6) }), /./],
    [
      'a PNG with bytes behind its pixels',
      png({ rows: concatBytes(compress(pngRows()), ascii('hidden')) }),
      /pixels with bytes after its end/,
    ],
    ['a PNG without pixels', concatBytes(png().slice(0, 33), pngChunk('IEND')), /order/],
    ['a PNG with a second header', png({ before: [png().slice(8, 33)] }), /order/],
    ['a PNG with parted pixels', png({ after: [pngChunk('gAMA', u32(1)), pngChunk('IDAT')] }), /order/],
    ['a PNG with a palette too late', png({ after: [pngChunk('PLTE', new Uint8Array(3))] }), /order/],
    [
      'a PNG with two colour profiles',
      png({ before: [profileChunk(compress(ascii('one'))), profileChunk(compress(ascii('two')))] }),
      /order/,
    ],
    [
      'a PNG with a profile that unpacks to 64 MB',
      png({ before: [profileChunk(compress(new Uint8Array(64_000_000)))] }),
      /profile of more than/,
    ],
    [
      'a PNG with a page behind its profile',
      png({ before: [profileChunk(concatBytes(compress(ascii('one')), ascii('<html>')))] }),
      /profile with bytes after its end/,
    ],
    [
      'a PNG with a profile that is not a profile',
      png({ before: [pngChunk('iCCP', ascii('<script>'))] }),
      /profile that cannot be read/,
    ],
    ['a PNG that needs a palette', png({ colour: 3 }), /order/],
    ['a PNG with a chunk nobody may skip', png({ before: [pngChunk('ABCD')] }), /ABCD/],
    ['a PNG of 7 bits', png({ depth: 7, rows: compress(pngRows()) }), /header/],

    ['a JPEG with a page behind it', concatBytes(jpeg(), ascii('<html>')), /bytes after its end/],
    ['a JPEG without its end', jpeg().slice(0, -2), /breaks off/],
    ['half a JPEG', jpeg().slice(0, 400), /breaks off/],
    [
      'a JPEG with bytes between its segments',
      concatBytes(jpeg().slice(0, 20), ascii('xx'), jpeg().slice(20)),
      /between/,
    ],
    ['a JPEG of 65535×65535', patched(jpeg(), frameAt(jpeg()) + 5, 0xff, 0xff, 0xff, 0xff), /65535/],
    [
      'a JPEG with two frames',
      jpegWith(jpeg(), [0xc0, jpeg().slice(frameAt(jpeg()) + 4, frameAt(jpeg()) + 19)]),
      /frame/,
    ],
    ['a JPEG that is coded arithmetically', patched(jpeg(), frameAt(jpeg()) + 1, 0xc9), /./],
    ['a JPEG with two pictures', concatBytes(jpeg(), jpeg()), /bytes after its end/],

    ['a WebP with a page behind it', concatBytes(webp(), ascii('<html>')), /bytes after its end/],
    ['a WebP that breaks off', webp().slice(0, -1), /breaks off/],
    ['a WebP whose size was made to fit what is left', riff(webpFrame(webp()).slice(0, -4)), /breaks off/],
    [
      'an animated WebP',
      riff(webpHeader(0x02, 16, 12), webpChunk('ANIM', new Uint8Array(6)), webpFrame(webp())),
      /animated/,
    ],
    ['a WebP with two frames', riff(webpFrame(webp()), webpFrame(webp())), /more than one/],
    ['a WebP without a frame', riff(webpHeader(0, 16, 12)), /./],
    ['a WebP with a canvas of another size', riff(webpHeader(0, 17, 12), webpFrame(webp())), /canvas|size/],
    ['a WebP of 16384×16384', riff(webpHeader(0, 16_384, 16_384), webpFrame(webp())), /16384/],
  ])('%s', async (_, bytes, reason, type) => {
    expect(await refusal(bytes, type)).toMatch(reason)
  })

  // 16 bytes a scan: 2 MiB of them kept a decoder busy for minutes.
  test('a JPEG of 64 scans is accepted, one of 65 is not', async () => {
    expect(await clean(progressive(63))).toMatchObject({ width: 2048, height: 2048 })
    expect(await refusal(progressive(64))).toMatch(/more than 64 scans/)
  })

  test('above 2048×2048, where pixels are not decoded, a missing row or a changed byte is still detected', async () => {
    const shape = { width: 4096, height: 4096, depth: 1 }
    expect(await refusal(png({ ...shape, rows: compress(pngRows({ ...shape, height: 4095 })) }))).toMatch(
      /fewer/,
    )
    const large = patched(jpeg(), frameAt(jpeg()) + 5, 0x0b, 0xb8, 0x0b, 0xb8)
    expect(await clean(large)).toMatchObject({ width: 3000, height: 3000 })
    expect(await refusal(large.slice(0, -2))).toMatch(/breaks off/)
  })

  test('no truncated image is accepted', async () => {
    for (const whole of [png(), jpeg(), webp()])
      for (let length = 0; length < whole.length; length += 1 + Math.floor(whole.length / 97))
        await refusal(whole.slice(0, length), typeOf(whole))
  })
})
