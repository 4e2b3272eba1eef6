import { expect, test } from 'vitest'
import { printable } from './output.ts'

test('what would steer a terminal is shown, not obeyed', () => {
  expect(printable('a\u001b[31mred\u009b0m\nnext')).toBe('a\\u001b[31mred\\u009b0m\\u000anext')
  expect(printable('grüße 🐝')).toBe('grüße 🐝')
})
