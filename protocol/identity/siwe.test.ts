import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, checksumAddress, hasWrongChecksum, parseChecksumAddress } from '../encoding/index.ts'
import { evmAddress, signPersonalMessage } from '../signatures/index.ts'
import { orFails, property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { resolveProfile } from './profile.ts'
import { checkSiweExchange, issueSiweMessage, readSiweNonce, type SiweExchange } from './siwe.ts'
import {
  formatSiweMessage,
  formatTimestamp,
  parseSiweMessage,
  parseTimestamp,
  type SiweMessage,
  SiweMessageError,
} from './siwe-message.ts'
import { isSafeToSign, signInClockOffset } from './siwe-safety.ts'

describeVectors('siwe')

const profile = resolveProfile()
const key = `0x${'5e'.repeat(32)}`
const address = evmAddress(key)
const domain = 'localhost:7878'
const now = 1_900_000_000
const nonce = 'Abcdefgh123456789'
const issuedText = issueSiweMessage(profile, { domain, address, nonce, issuedAt: now })
const issued = { message: issuedText, nonce, expires_at: now + 300, used: false }

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToHex)
const uris = fc.stringMatching(/^[A-Za-z][A-Za-z0-9+.-]{0,9}:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]{1,60}$/)
const timestamps = fc.integer({ min: 0, max: 4_000_000_000 }).map(formatTimestamp)
const messages: fc.Arbitrary<SiweMessage> = fc.record({
  scheme: fc.constantFrom(null, 'https', 'http'),
  domain: fc.constantFrom('localhost:7878', 'hub.example.org', '[::1]:80'),
  address: addresses.map(checksumAddress),
  statement: fc.option(fc.stringMatching(/^[\x20-\x7e]{1,40}$/)),
  uri: uris,
  version: fc.constant('1' as const),
  chainId: fc.nat(),
  nonce: fc.stringMatching(/^[A-Za-z0-9]{8,20}$/),
  issuedAt: timestamps,
  expirationTime: fc.option(timestamps),
  notBefore: fc.option(timestamps),
  requestId: fc.option(fc.stringMatching(/^[A-Za-z0-9]{0,8}$/)),
  resources: fc.option(fc.array(uris, { maxLength: 3 })),
})

describe('checksumAddress', () => {
  test.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ])('writes %s as in EIP-55', (text) => {
    expect(checksumAddress(text.toLowerCase())).toBe(text)
  })

  property('only the exact spelling is read back', [addresses], (lower) => {
    const text = checksumAddress(lower)
    expect(parseChecksumAddress(text)).toBe(lower)
    if (text !== lower) expect(parseChecksumAddress(lower)).toBeNull()
  })

  property('a changed digit is noticed in mixed case', [addresses, fc.nat(39)], (lower, at) => {
    const text = checksumAddress(lower)
    const changed = text.slice(0, at + 2) + (text[at + 2] === '1' ? '2' : '1') + text.slice(at + 3)
    const isMixed = /[a-f]/.test(changed.slice(2)) && /[A-F]/.test(changed.slice(2))
    expect(hasWrongChecksum(changed)).toBe(isMixed && checksumAddress(changed.toLowerCase()) !== changed)
    for (const one of [text, lower, `0x${lower.slice(2).toUpperCase()}`])
      expect(hasWrongChecksum(one)).toBe(false)
  })
})

describe('parseSiweMessage', () => {
  property('reads back what was written', [messages], (message) => {
    expect(parseSiweMessage(formatSiweMessage(message))).toEqual(message)
  })

  // Two different field sets under one signature would let a field hide in another.
  const mutated = fc
    .tuple(messages, fc.nat(), fc.constantFrom('\n', ' ', ':', 'Nonce: ', '\r', ''))
    .map(([message, at, noise]) => {
      const text = formatSiweMessage(message)
      const cut = at % text.length
      return text.slice(0, cut) + noise + text.slice(cut + 1)
    })
  property(
    'a text it accepts is the text of its fields',
    [mutated],
    (text) => {
      orFails(() => expect(formatSiweMessage(parseSiweMessage(text))).toBe(text), SiweMessageError)
    },
    { numRuns: 1000 },
  )

  test('names the invalid field', () => {
    expect(() => parseSiweMessage(issuedText.replace('Version: 1', 'Version: 2'))).toThrowError(
      expect.objectContaining({ name: 'SiweMessageError', field: 'version' }),
    )
    expect(readSiweNonce(issuedText)).toBe(nonce)
    expect(readSiweNonce('Nonce: abcdefgh1')).toBeNull()
  })
})

describe('parseTimestamp', () => {
  property('reads back whole seconds', [fc.integer({ min: 0, max: 253_402_300_799 })], (seconds) => {
    expect(parseTimestamp(formatTimestamp(seconds))).toBe(seconds * 1000)
  })

  test.each([
    ['2028-02-29T12:00:00Z', Date.UTC(2028, 1, 29, 12)],
    ['2028-02-29T12:00:00.5Z', Date.UTC(2028, 1, 29, 12, 0, 0, 500)],
    ['2028-02-29T12:00:00-01:30', Date.UTC(2028, 1, 29, 13, 30)],
    ['2027-02-29T12:00:00Z', null],
    ['2028-13-01T00:00:00Z', null],
    ['2028-01-01T24:00:00Z', null],
    ['2028-01-01T23:59:60Z', null],
    ['2028-01-01T00:00:00+24:00', null],
    ['2028-01-01 00:00:00Z', null],
    ['2028-01-01T00:00Z', null],
    ['2028-01-01T00:00:00.Z', null],
  ])('%s is %s', (text, milliseconds) => {
    expect(parseTimestamp(text)).toBe(milliseconds)
  })
})

describe('checkSiweExchange', () => {
  const exchange = (change: Partial<SiweExchange> = {}) =>
    checkSiweExchange(profile, {
      issued,
      domains: [domain],
      message: issuedText,
      signature: signPersonalMessage(key, issuedText),
      now,
      ...change,
    })

  test('the nonce is burned exactly when the message is acceptable', () => {
    expect(exchange()).toMatchObject({ status: 'signed_in', burnsNonce: true })
    expect(exchange({ signature: '0x' })).toEqual({
      status: 'refused',
      code: 'invalid_field',
      field: 'signature',
      burnsNonce: true,
    })
    expect(exchange({ message: 'other' })).toEqual({
      status: 'refused',
      code: 'unauthorized',
      burnsNonce: false,
    })
    expect(exchange({ message: 'x'.repeat(5000) })).toEqual({
      status: 'refused',
      code: 'invalid_field',
      field: 'message',
      burnsNonce: false,
    })
  })

  test('a signature that only a contract can verify is passed on with its digest', () => {
    const signature = `0x${'ab'.repeat(200)}`
    expect(exchange({ signature })).toMatchObject({
      status: 'ask_contract',
      address,
      signature,
      withoutCode: 'invalid_field',
      expires_at: now + 43_200,
    })
    expect(exchange({ signature: signPersonalMessage(`0x${'01'.repeat(32)}`, issuedText) })).toMatchObject({
      status: 'ask_contract',
      withoutCode: 'bad_signature',
    })
  })

  test('the length limit counts characters, not UTF-16 units', () => {
    expect(exchange({ message: '🌊'.repeat(4096) })).toMatchObject({ code: 'unauthorized' })
    expect(exchange({ message: '🌊'.repeat(4097) })).toMatchObject({ code: 'invalid_field' })
  })

  property('never throws', [fc.anything(), fc.anything()], (message, signature) => {
    expect(exchange({ message, signature }).status).toBe('refused')
  })
})

describe('isSafeToSign', () => {
  const expected = { host: domain, address, nonce, now: now + 10 }
  const parsed = parseSiweMessage(issuedText)

  test('accepts the issued text', () => {
    expect(isSafeToSign(profile, issuedText, expected)).toBe(true)
  })

  test.each<[string, Partial<SiweMessage>]>([
    ['another host', { domain: 'localhost:7879' }],
    ['another address', { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
    ['another chain', { chainId: 1 }],
    ['another statement', { statement: 'Sign in to Evil testnet.' }],
    ['no statement', { statement: null }],
    ['another origin', { uri: 'https://localhost:7878' }],
    ['another nonce', { nonce: 'Abcdefgh12345678X' }],
    ['an old issue time', { issuedAt: formatTimestamp(now - 291) }],
    ['no expiration', { expirationTime: null }],
    ['a past expiration', { expirationTime: formatTimestamp(now + 10) }],
    ['an expiration after more than a day', { expirationTime: formatTimestamp(now + 86_401) }],
  ])('refuses %s', (_, change) => {
    expect(isSafeToSign(profile, formatSiweMessage({ ...parsed, ...change }), expected)).toBe(false)
  })

  test('refuses a text that does not parse', () => {
    expect(isSafeToSign(profile, `${issuedText}\n`, expected)).toBe(false)
  })

  test.each<[string, number, Partial<SiweMessage>, number | null]>([
    ['a clock that is behind', now - 301, {}, 301],
    ['a clock that is ahead', now + 301, {}, -301],
    ['a clock that is ahead of the expiration', now + 86_400, {}, -86_400],
    ['clocks that agree well enough', now - 300, {}, null],
    ['an expiration that is the reason itself', now + 10, { expirationTime: formatTimestamp(now + 5) }, null],
    ['another host beside a clock that is behind', now - 301, { domain: 'localhost:7879' }, null],
    ['no expiration beside a clock that is behind', now - 301, { expirationTime: null }, null],
  ])('is told from a wrong clock by the offset: %s', (_, at, change, offset) => {
    const text = formatSiweMessage({ ...parsed, ...change })
    expect(signInClockOffset(profile, text, { ...expected, now: at })).toBe(offset)
  })

  test('a text that does not parse has no offset', () => {
    expect(signInClockOffset(profile, `${issuedText}\n`, { ...expected, now: now - 301 })).toBeNull()
  })
})
