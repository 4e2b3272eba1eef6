import { expect, test } from 'vitest'
import { printable } from './output.ts'

test('control characters for a terminal are shown, not obeyed', () => {
  expect(printable('a\u001b[31mred\u009b0m\nnext')).toBe('a\\u001b[31mred\\u009b0m\\u000anext')
  expect(printable('\u007f\u0080\u061c\u200e\u202e\u2066\u2028')).toBe(
    '\\u007f\\u0080\\u061c\\u200e\\u202e\\u2066\\u2028',
  )
  expect(printable('grüße 🐝 שלום')).toBe('grüße 🐝 שלום')
})

test('a long text is cut, and says how much is missing', () => {
  expect(printable('x'.repeat(5000))).toBe(`${'x'.repeat(4096)}… (904 more characters)`)
})
