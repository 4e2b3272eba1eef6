import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { confirmed } from './confirm.ts'

test.each([
  ['y', 'y\r', true],
  ['YES', 'YES\r', true],
  ['n', 'n\r', false],
  ['nothing', '\r', false],
  ['Ctrl-C', '\u0003', false],
  ['Ctrl-D', '\u0004', false],
])('the answer %s at a terminal', async (_, typed, expected) => {
  const input = new PassThrough()
  const answer = confirmed('Sign it? ', { input, output: Object.assign(new PassThrough(), { isTTY: true }) })
  input.write(typed)
  expect(await answer).toBe(expected)
})

test('an input that ends without an answer says no', async () => {
  const input = new PassThrough()
  const answer = confirmed('Sign it? ', { input, output: new PassThrough() })
  input.end()
  expect(await answer).toBe(false)
})
