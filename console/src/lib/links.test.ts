import { expect, test } from 'vitest'
import { hostOf, isSite } from './links.ts'

test.each([
  ['https://example.com/docs', true],
  ['http://example.com', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['//example.com', false],
  ['', false],
  [null, false],
  [undefined, false],
])('%j leads somewhere: %s', (url, expected) => expect(isSite(url)).toBe(expected))

test('a host is shown as it is, past what stands before it', () => {
  expect(hostOf('https://hub.example@evil.example/a')).toBe('evil.example')
  expect(hostOf('https://\u0430pple.example/')).toBe('xn--pple-43d.example')
})
