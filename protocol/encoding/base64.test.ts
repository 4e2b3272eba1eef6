import { describe, expect, test } from 'vitest'
import { base64ToBytes } from './base64.ts'

describe('base64ToBytes', () => {
  test.each([
    ['', []],
    ['AA==', [0]],
    ['AAE=', [0, 1]],
    ['AAEC', [0, 1, 2]],
  ])('%j is read', (text, bytes) => {
    expect([...(base64ToBytes(text) ?? [])]).toEqual(bytes)
  })

  test.each(['A', 'AB==', 'AAF=', 'AA', 'AA=', 'AA==\n', 'A-_A', 'AA== ', '====', 'A==='])(
    '%j is refused',
    (text) => {
      expect(base64ToBytes(text)).toBeNull()
    },
  )
})
