import { expect, test } from 'vitest'
import { outsideAddress } from './addresses.ts'

test.each([
  ['::1', null],
  ['127.0.0.1', null],
  ['::ffff:127.3.2.1', null],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::9', '2001:db8:1:2::/64'],
  [undefined, 'unknown'],
])('a socket of %s counts as %s', (remoteAddress, subject) => {
  expect(outsideAddress({ remoteAddress })).toBe(subject)
})
