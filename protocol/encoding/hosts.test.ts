import { describe, expect, test } from 'vitest'
import { isLocalUrl, isLoopbackHost, isPrivateHost, showsItsHost } from './hosts.ts'

const hostOf = (url: string) => new URL(url).hostname

describe('isPrivateHost', () => {
  test.each([
    'http://localhost',
    'http://localhost.',
    'http://api.localhost:8787',
    'http://127.0.0.1',
    // One address, written as URLs allow it.
    'http://2130706433',
    'http://0x7f.1',
    'http://127.1',
    'http://0.0.0.0',
    'http://10.1.2.3',
    'http://100.64.0.1',
    'http://169.254.169.254',
    'http://172.16.0.1',
    'http://172.31.255.255',
    'http://192.168.1.1',
    'http://198.18.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://[::]',
    'http://[::1]',
    'http://[fc00::1]',
    'http://[fd12:3456::1]',
    'http://[fe80::1]',
    'http://[ff02::1]',
    'http://[::ffff:10.0.0.1]',
    'http://[64:ff9b::a00:1]',
    'http://[2001::a00:1]',
    'http://[2001:0:1:2:3:4:5:6]',
    'http://[2001:db8::1]',
    'http://[2002:a00:1::]',
    'http://router',
    'http://printer.local',
    'http://metadata.google.internal',
    'http://nas.home.arpa',
    'http://hub.lan',
  ])('%s', (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(true)
  })

  test.each([
    'https://node.example',
    'https://localhost.example',
    'https://local.example.com',
    'https://1.1.1.1',
    'https://100.128.0.1',
    'https://172.32.0.1',
    'https://192.169.0.1',
    'https://198.20.0.1',
    'https://[2606:4700::1111]',
    'https://[2001:4860:4860::8888]',
  ])('not %s', (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(false)
  })
})

describe('isLoopbackHost', () => {
  test.each([
    ['http://localhost:1', true],
    ['http://web.localhost', true],
    ['http://127.8.9.1', true],
    ['http://[::1]:1', true],
    ['http://10.0.0.1', false],
    ['http://localhost.example', false],
  ])('%s: %s', (url, expected) => {
    expect(isLoopbackHost(hostOf(url))).toBe(expected)
  })
})

test.each([
  ['https://hub.example/a@b?c=@d', true],
  ['ipfs://bafy', true],
  ['https://hub.example@other.example', false],
  ['https://hub.example:443@other.example', false],
  ['https:hub.example@other.example', false],
  ['https://other.example\\@hub.example', false],
  ['https:\\\\other.example', false],
])('the host that a reader sees in %s is its real host: %s', (url, expected) => {
  expect(showsItsHost(url)).toBe(expected)
})

test('a deployment is local if its URL has no TLS or names this machine', () => {
  const isLocal = (url: string) => isLocalUrl(new URL(url))
  expect(['http://192.168.1.5:8787', 'https://localhost', 'https://hub.example'].map(isLocal)).toEqual([
    true,
    true,
    false,
  ])
})
