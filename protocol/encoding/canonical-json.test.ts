import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { anyText } from '../testing/arbitraries.ts'
import { errorOf, orFails, property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { utf8 } from './bytes.ts'
import {
  CanonicalJsonError,
  compareCodePoints,
  dottedPath,
  encodeCanonicalJson,
  hashCanonicalJson,
} from './canonical-encoder.ts'
import { parseStrictJson, type UnencodableValue } from './strict-json.ts'

describeVectors('canonical-json')

const text = fc.oneof(fc.string(), anyText)
const key = fc.oneof(text, fc.constant('__proto__'), fc.constant('constructor'))
/** Built from entries so that __proto__ becomes a member, which an object literal would lose. */
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('array'), tie('object')),
  leaf: fc.oneof(text, fc.maxSafeInteger(), fc.boolean(), fc.constant(null)),
  array: fc.array(tie('value'), { maxLength: 5 }),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
})).value

const refusal = (run: () => unknown) => errorOf(CanonicalJsonError, run)

describe('encodeCanonicalJson', () => {
  property('reading gives back what was encoded', [json], (value) => {
    const encoded = encodeCanonicalJson(value)
    expect(encodeCanonicalJson(parseStrictJson(encoded))).toBe(encoded)
    expect(JSON.stringify(sorted(JSON.parse(encoded)))).toBe(JSON.stringify(sorted(value)))
  })

  property(
    'the order of members does not matter',
    [fc.uniqueArray(fc.tuple(key, json), { selector: ([name]) => name })],
    (entries) => {
      const forward = Object.fromEntries(entries)
      const backward = Object.fromEntries([...entries].reverse())
      expect(hashCanonicalJson(backward)).toBe(hashCanonicalJson(forward))
    },
  )

  test('names the path of the refused value', () => {
    expect(refusal(() => encodeCanonicalJson({ a: [0, { b: 0.5 }] }))).toMatchObject({
      name: 'CanonicalJsonError',
      code: 'float',
      path: 'a[1].b',
    })
    expect(refusal(() => encodeCanonicalJson(1n))).toMatchObject({ code: 'bigint', path: '' })
  })

  test('objects without prototype are encoded, objects of a class are refused', () => {
    expect(encodeCanonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}')
    expect(refusal(() => encodeCanonicalJson(new (class Point {})())).code).toBe('invalid_type')
  })
})

describe('compareCodePoints', () => {
  const points = (value: string) => Array.from(value, (character) => character.codePointAt(0)!)
  property('orders as the lists of code points do', [text, text], (a, b) => {
    const [x, y] = [points(a), points(b)]
    const at = x.findIndex((point, i) => point !== y[i])
    const naive = at === -1 ? x.length - y.length : x[at]! - (y[at] ?? -1)
    expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(naive))
  })
})

describe('parseStrictJson', () => {
  const pieces = fc.constantFrom(...'{}[],:"\\ud8e+-.019 \n', 'true', 'null', '\\u', '"a"', '__proto__')
  const anything = fc.oneof(
    anyText,
    fc.array(pieces).map((list) => list.join('')),
  )
  property(
    'arbitrary text is read or refused with the typed error',
    [anything],
    (input) => {
      orFails(
        () => expect(encodeCanonicalJson(parseStrictJson(input))).toBeTypeOf('string'),
        CanonicalJsonError,
      )
    },
    { numRuns: 2000 },
  )

  property(
    'accepts no text that JSON.parse refuses',
    [json, fc.nat(), fc.string({ maxLength: 2 })],
    (value, at, noise) => {
      const valid = JSON.stringify(value)
      const cut = at % (valid.length + 1)
      const input = valid.slice(0, cut) + noise + valid.slice(cut + 1)
      let read: unknown
      try {
        read = parseStrictJson(input)
      } catch {
        return
      }
      expect(JSON.stringify(JSON.parse(input))).toBe(JSON.stringify(read))
    },
    { numRuns: 2000 },
  )

  property('arbitrary bytes are read or refused with the typed error', [fc.uint8Array()], (bytes) => {
    orFails(() => parseStrictJson(bytes), CanonicalJsonError)
  })

  property(
    'a text as the runtime writes it, and the same with a blank, are read alike',
    [fc.oneof(json, fc.jsonValue()), fc.option(fc.nat({ max: 12 }), { nil: undefined })],
    (value, maxValues) => {
      const written = JSON.stringify(value)
      const outcome = (input: string) => {
        try {
          return JSON.stringify(parseStrictJson(input, { ...(maxValues !== undefined && { maxValues }) }))
        } catch (error) {
          return error
        }
      }
      expect(outcome(written)).toEqual(outcome(` ${written}`))
    },
    { numRuns: 1000 },
  )

  test.each([
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x30]],
    ['an overlong encoding', [0x22, 0xc0, 0x80, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xc3, 0x22]],
  ])('invalid_json: %s in bytes', (_, bytes) => {
    expect(refusal(() => parseStrictJson(Uint8Array.from(bytes))).code).toBe('invalid_json')
  })

  test.each([
    ['{"a":{"b":[1,{"c":1.5}]}}', 'float', 'a.b[1].c'],
    ['{"a":{"b":1,"b":2}}', 'duplicate_key', 'a.b'],
    ['[[],["\\ud800"]]', 'invalid_string', '[1][0]'],
    ['{"a":[1 2]}', 'invalid_json', 'a'],
    ['', 'invalid_json', ''],
  ])('reports the path of the failure in %s', (input, code, path) => {
    expect(refusal(() => parseStrictJson(input))).toMatchObject({ code, path })
  })

  test('__proto__ is an ordinary member and changes no prototype', () => {
    const value = parseStrictJson('{"__proto__":{"polluted":1}}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value.polluted).toBeUndefined()
  })

  test('nesting deeper than 64 levels is refused', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    parseStrictJson(nested(64))
    expect(refusal(() => parseStrictJson(nested(65))).code).toBe('invalid_json')
    expect(refusal(() => parseStrictJson('['.repeat(1_000_000))).code).toBe('invalid_json')
  })

  test('onUnencodable collects values without a canonical form, and parsing continues', () => {
    const found: UnencodableValue[] = []
    const value = parseStrictJson('{"a":1.0,"b":[-0,9007199254740992],"c":"\\ud800"}', {
      onUnencodable: (code, _, path) => found.push({ code, path: dottedPath(path) }),
    })
    expect(value).toEqual({ a: 1, b: [-0, 9007199254740992], c: '\ud800' })
    expect(found).toEqual([
      { code: 'float', path: 'a' },
      { code: 'float', path: 'b[0]' },
      { code: 'unsafe_integer', path: 'b[1]' },
      { code: 'invalid_string', path: 'c' },
    ])
  })

  // The largest signed documents carry a module as one string; reading one must not cost more than a few searches of it.
  test('a long string is found by one search and copied whole', () => {
    const data = 'QUJD'.repeat(250_000)
    const document = utf8(`{"data":"${data}"}`)
    const searches = vi.spyOn(RegExp.prototype, 'test')
    const copies = vi.spyOn(String.prototype, 'slice')
    const value = parseStrictJson(document)
    const lengths = copies.mock.results.map(({ value }) => String(value).length)
    const searched = searches.mock.calls.length
    vi.restoreAllMocks()
    expect(value).toEqual({ data })
    expect(lengths.toSorted((a, b) => b - a).slice(0, 2)).toEqual([data.length, 'data'.length])
    expect(searched).toBeLessThan(10)
  })
})

/** Members in code-unit order at every depth, as entries, so that __proto__ and integer-like keys compare like others. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)])
}
