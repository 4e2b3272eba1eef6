import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ed25519PublicKey } from '../signatures/index.ts'
import { describeVectors } from '../vectors/suite.ts'
import { deriveNodeId } from './ids.ts'
import { resolveProfile } from './profile.ts'
import { checkRequest, requestText, signRequest } from './request-signing.ts'

describeVectors('request-signing')

const profile = resolveProfile()
const seed = `0x${'6f'.repeat(32)}`
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  target: fc.stringMatching(/^\/[a-z0-9/?&=%-]{0,30}$/),
  timestamp: fc.nat(),
  nonce: fc.stringMatching(/^[0-9a-f]{32}$/),
  body: fc.uint8Array(),
})

describe('checkRequest', () => {
  test('property: accepts what was signed, under its own profile only', () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: -300, max: 300 }), (request, skew) => {
        const { headers } = signRequest(profile, seed, request)
        const received = { ...request, header: (name: string) => headers[name] }
        expect(checkRequest(profile, received, request.timestamp + skew, 300)).toEqual({
          ok: true,
          node_id: deriveNodeId(profile, ed25519PublicKey(seed)),
          public_key: ed25519PublicKey(seed),
          nonce: request.nonce,
          timestamp: request.timestamp,
        })
        const renamed = resolveProfile({ service: 'Acme', header_prefix: profile.header_prefix })
        expect(checkRequest(renamed, received, request.timestamp, 300)).toEqual({
          ok: false,
          code: 'bad_signature',
        })
      }),
      { numRuns: 25 },
    )
  })

  test('property: never throws, whatever the headers', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string()), { minLength: 5, maxLength: 5 }), (values) => {
        let i = 0
        const received = { method: 'GET', target: '/', body: '', header: () => values[i++] }
        expect(checkRequest(profile, received, 0, 300)).toEqual({ ok: false, code: 'unauthorized' })
      }),
    )
  })
})

describe('requestText', () => {
  // No field but the target can be long or contain other fields, and none can contain a line feed.
  test('property: different requests never share a text', () => {
    fc.assert(
      fc.property(requests, requests, (a, b) => {
        const same = JSON.stringify([...Object.values(a)]) === JSON.stringify([...Object.values(b)])
        expect(requestText(profile, a) === requestText(profile, b)).toBe(same)
      }),
    )
  })
})
