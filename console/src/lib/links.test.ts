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
])('%j is the address of a site: %s', (url, expected) => expect(isSite(url)).toBe(expected))

test('the shown host is the real host, without a user name and in punycode', () => {
  expect(hostOf('https://hub.example@evil.example/a')).toBe('evil.example')
  expect(hostOf('https://\u0430pple.example/')).toBe('xn--pple-43d.example')
})
