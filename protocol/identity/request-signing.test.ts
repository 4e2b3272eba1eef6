import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { ed25519PublicKey } from '../signatures/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { deriveNodeId } from './ids.ts'
import { resolveProfile } from './profile.ts'
import { readRequestSignature, requestText, signRequest, verifyRequestSignature } from './request-signing.ts'

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

describe('readRequestSignature and verifyRequestSignature', () => {
  property(
    'accepts what was signed, under its own profile only',
    [requests, fc.integer({ min: -300, max: 300 })],
    (request, skew) => {
      const { headers } = signRequest(profile, seed, request)
      const claimed = readRequestSignature(profile, (name) => headers[name], request.timestamp + skew, 300)!
      expect(claimed).toMatchObject({
        node_id: deriveNodeId(profile, ed25519PublicKey(seed)),
        public_key: ed25519PublicKey(seed),
        nonce: request.nonce,
        timestamp: request.timestamp,
      })
      expect(verifyRequestSignature(profile, request, claimed)).toBe(true)
      const renamed = resolveProfile({ service: 'Acme', header_prefix: profile.header_prefix })
      expect(verifyRequestSignature(renamed, request, claimed)).toBe(false)
    },
    { numRuns: 25 },
  )

  property(
    'never throws, whatever the headers',
    [fc.array(fc.option(fc.string()), { minLength: 5, maxLength: 5 })],
    (values) => {
      let i = 0
      expect(readRequestSignature(profile, () => values[i++], 0, 300)).toBeNull()
    },
  )
})

describe('requestText', () => {
  // No field but the target can be long or contain other fields, and none can contain a line feed.
  property('different requests never share a text', [requests, requests], (a, b) => {
    const same = JSON.stringify([...Object.values(a)]) === JSON.stringify([...Object.values(b)])
    expect(requestText(profile, a) === requestText(profile, b)).toBe(same)
  })
})
