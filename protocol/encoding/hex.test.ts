import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '../testing/property.ts'
import { bytesToUnsigned, concatBytes, u16, u32, u64, unsignedBytes } from './bytes.ts'
import { FormatError, isAmount, isRoundId } from './formats.ts'
import { bytesToHex, hexToBytes, raw20, raw32 } from './hex.ts'

describe('hexToBytes', () => {
  property('gives back the bytes that were written', [fc.uint8Array()], (bytes) => {
    expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes)
  })

  test.each(['', '0', '0x0', '00', '0xAB', '0xzz', '0x00\n'])('refuses %j', (hex) => {
    expect(() => hexToBytes(hex)).toThrowError(FormatError)
  })
})

describe('raw20 and raw32', () => {
  test('accept only their width, and name the field in errors', () => {
    expect(raw20(`0x${'a1'.repeat(20)}`)).toHaveLength(20)
    expect(raw32(`0x${'a1'.repeat(32)}`)).toHaveLength(32)
    expect(() => raw20(`0x${'a1'.repeat(32)}`, 'owner')).toThrowError(
      expect.objectContaining({ name: 'FormatError', code: 'invalid_field', field: 'owner' }),
    )
    expect(() => raw32(`0x${'A1'.repeat(32)}`)).toThrowError(FormatError)
  })
})

describe('unsignedBytes', () => {
  // Fixed widths make every layout built from them injective.
  property('has its width and is read back', [fc.bigInt(0n, 2n ** 64n - 1n)], (value) => {
    expect(u64(value)).toHaveLength(8)
    expect(bytesToUnsigned(u64(value))).toBe(value)
  })

  const tuples = fc.tuple(fc.nat(65535), fc.nat(4294967295), fc.bigInt(0n, 2n ** 64n - 1n))
  const encode = ([a, b, c]: [number, number, bigint]) => bytesToHex(concatBytes(u16(a), u32(b), u64(c)))
  property('different tuples never share bytes', [tuples, tuples], (x, y) => {
    expect(encode(x) === encode(y)).toBe(x.join() === y.join())
  })

  test.each([-1, 0.5, Number.NaN, 65536, 2 ** 53])('refuses %d as u16', (value) => {
    expect(() => u16(value)).toThrowError(FormatError)
  })

  test('is big-endian', () => {
    expect(unsignedBytes(0x0102, 3)).toEqual(Uint8Array.of(0, 1, 2))
  })
})

describe('formats', () => {
  test('an amount has no leading zero and stays below 2^256', () => {
    expect(['0', '1', (2n ** 256n - 1n).toString()].every(isAmount)).toBe(true)
    expect(['', '00', '01', '-1', '1.0', '1e3', ' 1', (2n ** 256n).toString(), 1].some(isAmount)).toBe(false)
  })

  test('a round id names its kind and has no line feed at its end', () => {
    const hash = `0x${'0a'.repeat(32)}`
    expect(
      [`task:${hash}`, `exec:${hash}`, `epoch:${hash}:1:0`, `reward:${hash}:12:3`].every(isRoundId),
    ).toBe(true)
    expect([`task:${hash}\n`, `epoch:${hash}`, `task:${hash}:1:0`, `vote:${hash}`].some(isRoundId)).toBe(
      false,
    )
  })
})
