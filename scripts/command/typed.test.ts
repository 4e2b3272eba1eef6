import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { typed } from './typed.ts'

test.each([
  ['a line', ' staging\r', 'staging'],
  ['Ctrl-C', 'sta\u0003', ''],
  ['Ctrl-D', '\u0004', ''],
])('the answer is %s', async (_, keys, expected) => {
  const input = new PassThrough()
  const answer = typed('Name? ', { input, output: Object.assign(new PassThrough(), { isTTY: true }) })
  input.write(keys)
  expect(await answer).toBe(expected)
})
