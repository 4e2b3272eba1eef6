import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../encoding/index.ts'
import { encodeTaskInput, taskInputBytesMax } from '../execution/index.ts'
import { averageRatingX100 } from '../manifest/index.ts'
import { describeVectors } from '../vectors/suite.ts'
import { emptyPreferences, findPreferencesProblems } from './preferences.ts'

describeVectors('preferences')

test('findPreferencesProblems: what is read before anything was saved may be saved', () => {
  expect(findPreferencesProblems(emptyPreferences)).toEqual([])
})

describe('encodeTaskInput', () => {
  test('a text is taken byte for byte, another value as its canonical text', () => {
    const hexOf = (given: object) => bytesToHex(encodeTaskInput(given))
    expect(hexOf({ input: ' {"b":1}' })).toBe(hexOf({ input_b64: btoa(' {"b":1}') }))
    expect(hexOf({ input: { b: 1, a: [true] } })).toBe(hexOf({ input: '{"a":[true],"b":1}' }))
    expect(hexOf({})).toBe('0x')
  })

  test('property: base64 has one spelling', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('=', ' ', '\n', 'A', '-'), (bytes, extra) => {
        const text = btoa(String.fromCharCode(...bytes))
        expect(encodeTaskInput({ input_b64: text })).toEqual(Uint8Array.from(bytes))
        expect(() => encodeTaskInput({ input_b64: text + extra })).toThrowError(
          expect.objectContaining({ code: 'invalid_field', field: 'input_b64' }),
        )
      }),
    )
    expect(() => encodeTaskInput({ input_b64: 'AB==' })).toThrowError()
  })

  test('the limit counts bytes, not characters', () => {
    const half = 'é'.repeat(taskInputBytesMax / 2)
    expect(encodeTaskInput({ input: half })).toHaveLength(taskInputBytesMax)
    expect(() => encodeTaskInput({ input: `${half}x` })).toThrowError()
    expect(() => encodeTaskInput({ input: '', input_b64: '' })).toThrowError()
  })
})

describe('averageRatingX100', () => {
  test('rounds halves up and is null without reviews', () => {
    expect(averageRatingX100(0, 0)).toBeNull()
    expect(averageRatingX100(9, 2)).toBe(450)
    expect(averageRatingX100(13, 3)).toBe(433)
    expect(averageRatingX100(14, 3)).toBe(467)
    expect(averageRatingX100(201, 200)).toBe(101)
  })
})
