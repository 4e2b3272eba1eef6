import { describe, expect, test } from 'vitest'
import { base64UrlToBytes } from './base64.ts'
import { CursorCodec } from './cursor.ts'
import { parseRange } from './range.ts'

describe('parseRange', () => {
  test.each([
    ['bytes=0-3', { offset: 0, length: 4 }],
    ['bytes=8-', { offset: 8, length: 2 }],
    ['bytes=-3', { offset: 7, length: 3 }],
    ['bytes=-99', { offset: 0, length: 10 }],
    ['bytes=9-99', { offset: 9, length: 1 }],
    ['bytes=0-99999999999999999999', { offset: 0, length: 10 }],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=3-2', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['bytes=-', null],
    [undefined, null],
  ])('%s of ten bytes', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected)
  })
})

test('base64url is accepted only in its canonical spelling', () => {
  expect([...(base64UrlToBytes('AAE') ?? [])]).toEqual([0, 1])
  for (const text of ['AAE=', 'AAF', 'A A', 'AA/']) expect(base64UrlToBytes(text)).toBeNull()
})

describe('CursorCodec', () => {
  const codec = new CursorCodec('a secret of the deployment, long enough')
  const cursor = codec.encode('modules developer=', [17, '0xab'])

  test('decodes the position that it encoded', () => {
    expect(codec.decode('modules developer=', cursor)).toEqual([17, '0xab'])
  })

  test('a cursor of another list, of other filters or of another hub is refused', () => {
    const other = new CursorCodec('the secret of another deployment, too')
    expect(() => codec.decode('projects', cursor)).toThrowError(/cursor/)
    expect(() => codec.decode('modules developer=0x1', cursor)).toThrowError(/cursor/)
    expect(() => other.decode('modules developer=', cursor)).toThrowError(/cursor/)
  })

  test('a cursor with any character changed is refused', () => {
    for (let index = 0; index < cursor.length; index++) {
      const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1)
      expect(() => codec.decode('modules developer=', changed)).toThrowError(
        expect.objectContaining({ code: 'invalid_field' }),
      )
    }
  })
})
