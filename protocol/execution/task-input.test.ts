import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../encoding/index.ts'
import { inputBytesMax } from '../wasm/run-limits.ts'
import { encodeTaskInput } from './task-input.ts'

describe('encodeTaskInput', () => {
  test('a text is encoded byte for byte, any other value as canonical JSON', () => {
    const hexOf = (given: object) => bytesToHex(encodeTaskInput(given))
    expect(hexOf({ input: ' {"b":1}' })).toBe(hexOf({ input_b64: btoa(' {"b":1}') }))
    expect(hexOf({ input: { b: 1, a: [true] } })).toBe(hexOf({ input: '{"a":[true],"b":1}' }))
    expect(hexOf({})).toBe('0x')
  })

  test('property: each input has exactly one valid base64 text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('=', ' ', '\n', 'A', '-'), (bytes, extra) => {
        const text = btoa(String.fromCharCode(...bytes))
        expect([...encodeTaskInput({ input_b64: text })]).toEqual([...bytes])
        expect(() => encodeTaskInput({ input_b64: text + extra })).toThrowError(
          expect.objectContaining({ code: 'invalid_field', field: 'input_b64' }),
        )
      }),
    )
    expect(() => encodeTaskInput({ input_b64: 'AB==' })).toThrowError()
  })

  test('the limit counts bytes, not characters', () => {
    const half = 'é'.repeat(inputBytesMax / 2)
    expect(encodeTaskInput({ input: half })).toHaveLength(inputBytesMax)
    expect(() => encodeTaskInput({ input: `${half}x` })).toThrowError()
    expect(() => encodeTaskInput({ input: '', input_b64: '' })).toThrowError()
  })
})
