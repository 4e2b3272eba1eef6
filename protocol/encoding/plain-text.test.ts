import { describe, expect, test } from 'vitest'
import { isLineOf, isPlainTextOf } from './bounds.ts'
import { isVisible } from './plain-text.ts'

const name = isLineOf({ min: 1, max: 64 })

describe('a text that others read', () => {
  test.each([' ', '\u00a0', '\u2003\u3000', '\u200b', '\ufeff', '\u3164', ' \u200d'])(
    'may not be blank: %j',
    (text) => {
      expect([isVisible(text), name(text), isPlainTextOf({ min: 1, max: 64 })(text)]).toEqual([
        false,
        false,
        false,
      ])
      // A text that may be empty may also be blank.
      expect(isLineOf({ min: 0, max: 64 })(text)).toBe(true)
    },
  )

  test.each(['a', ' Ada ', '名', '🙂', '\u200dx', '.'])('may be anything visible: %j', (text) => {
    expect(name(text)).toBe(true)
  })

  test.each(['\u202eevil', 'a\u0007', 'a\nb', '\u061cx'])(
    'may not contain hidden or control characters: %j',
    (text) => {
      expect(name(text)).toBe(false)
    },
  )
})
