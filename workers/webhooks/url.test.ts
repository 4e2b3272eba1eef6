import { expect, test } from 'vitest'
import { urlProblem } from './url.ts'

const hub = new URL('https://hub.example.com')
const of = (url: string, isLocal = false) => urlProblem(url, { isLocal, hub })

test.each([
  'https://receiver.example.com',
  'https://receiver.example.com:443/hub?x=1',
  'https://receiver.example.com:8443/',
  'https://93.184.216.34/',
  'https://[2606:2800:220:1::1]/',
])('may be called: %s', (url) => {
  expect([of(url), of(url, true)]).toEqual([null, null])
})

test.each([
  ...['http://localhost:9000/', 'http://127.0.0.1:1/', 'http://[::1]:9000/', 'https://app.localhost/'],
])('may be called only on a local network: %s', (url) => {
  expect([of(url) === null, of(url, true)]).toEqual([false, null])
})

test.each([
  ['a text that is not a URL', ['', 'receiver', 'https://', '//receiver.example.com']],
  [
    'without a certificate',
    ['http://receiver.example.com', 'ftp://receiver.example.com', 'file:///etc/passwd'],
  ],
  [
    'with a user',
    [
      'https://a@receiver.example.com',
      'https://a:b@receiver.example.com',
      'https://@receiver.example.com\\x',
    ],
  ],
  ['with a fragment', ['https://receiver.example.com/#x']],
  ['of other services', [25, 22, 80, 1023].map((port) => `https://receiver.example.com:${port}`)],
  [
    'private IPv4',
    [
      ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
      ...['0.0.0.0', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ].map((host) => `https://${host}/`),
  ],
  [
    'private IPv4 in other spellings',
    [
      ...['167772161', '0x0a000001', '012.0.0.1', '10.1', '0xa9.254.0xa9fe', '１０.0.0.1', '10。0。0。1'],
      ...['2852039166', '192.168.257'],
    ].map((host) => `https://${host}/`),
  ],
  [
    'private IPv6',
    [
      ...['fc00::1', 'fd12:3456::1', 'fe80::1', '::', 'ff02::1', '2001:db8::1'],
      ...['::ffff:10.0.0.1', '::ffff:a00:1', '::ffff:127.0.0.1', '64:ff9b::a00:1', '2002:a00:1::'],
    ].map((host) => `https://[${host}]/`),
  ],
  [
    'names of private networks',
    [
      ...['printer.local', 'metadata.google.internal', 'hub', 'intranet', 'nas.lan', 'x.home.arpa'],
      ...['printer.local.', 'metadata.google.internal.'],
    ].map((host) => `https://${host}/`),
  ],
  [
    'this hub',
    [
      ...['https://hub.example.com/v1/me', 'https://HUB.example.com:443/', 'https://hub.example.com./'],
      'https://hub.example.com:8443/',
    ],
  ],
])('is refused, also on a local network: %s', (_, urls) => {
  for (const url of urls) expect([url, of(url) === null, of(url, true) === null]).toEqual([url, false, false])
})

test.each(['127.0.0.1', '127.1', '2130706433', '0x7f.1', 'localhost', 'localhost.', 'x.localhost', '[::1]'])(
  'this machine is refused on a public network: %s',
  (host) => {
    expect(of(`https://${host}/`)).not.toBeNull()
  },
)

test.each([
  ['http://localhost:8787/', 'must not be this hub'],
  ['http://127.0.0.1:8787/', 'must not be this hub'],
  ['http://[::1]:8787/', 'must not be this hub'],
  ['https://x.localhost.:8787/', 'must not be this hub'],
  ['http://localhost:8788/', null],
  ['http://localhost/', null],
])(
  'a URL of the hub itself is refused under every local name, and other ports are allowed: %s',
  (url, problem) => {
    expect(urlProblem(url, { isLocal: true, hub: new URL('http://localhost:8787') })).toBe(problem)
  },
)
