import { expect, test } from 'vitest'
import { runErrorBytesMax, runErrorText } from './run-error.ts'

test.each([
  ['aborted: no such key', 'aborted: no such key'],
  ['', ''],
  ['aborted: \u202egnp.exe\u0000\n', 'aborted: \\u202egnp.exe\\u0000\\u000a'],
  ['half \ud83d', 'half \ufffd'],
  ['a'.repeat(256), 'a'.repeat(256)],
  ['a'.repeat(257), `${'a'.repeat(253)}…`],
  ['é'.repeat(200), `${'é'.repeat(126)}…`],
  ['😀'.repeat(1000), `${'😀'.repeat(63)}…`],
  ['\u0001'.repeat(1000), `${'\\u0001'.repeat(42)}\\…`],
])('%j is shown as %j', (error, shown) => {
  expect(runErrorText(error)).toBe(shown)
  expect(runErrorText(shown)).toBe(shown)
  expect(new TextEncoder().encode(shown).length).toBeLessThanOrEqual(runErrorBytesMax)
})
