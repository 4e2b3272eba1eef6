import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../protocol/encoding/index.ts'
import { ed25519PublicKey, signEd25519, verifyEd25519 } from '../protocol/signatures/index.ts'
import crypto from '../protocol/vectors/crypto.json' with { type: 'json' }
import { nativeSigner, verifyNatively } from './native-ed25519.ts'

const seed = `0x${'07'.repeat(32)}`

describe('verifyNatively', () => {
  const ofNodes = crypto.cases.filter(({ input }) => input.kind === 'ed25519')

  test.each(ofNodes)('vector: $name', ({ input, output }) => {
    const { public_key, message = '', signature } = input as Record<string, string>
    expect(verifyNatively(public_key, message, signature)).toBe(output.valid)
  })

  const keys = crypto.cases.filter(({ input }) => input.kind === 'ed25519-key')

  test.each(keys)('accepts no signature of zeros under the key: $name', ({ input }) => {
    for (const r of ['00', '01']) {
      const signature = `0x${r}${'00'.repeat(63)}`
      expect(verifyNatively(input.public_key, 'text', signature)).toBe(false)
    }
  })

  test('agrees with the verifier of the protocol on each changed byte', () => {
    const key = ed25519PublicKey(seed)
    const signature = signEd25519(seed, 'text')
    expect(verifyNatively(key, 'text', signature)).toBe(true)
    for (let at = 2; at < signature.length; at += 9) {
      const digit = signature[at] === '0' ? '1' : '0'
      const changed = signature.slice(0, at) + digit + signature.slice(at + 1)
      expect([at, verifyNatively(key, 'text', changed)]).toEqual([at, verifyEd25519(key, 'text', changed)])
    }
  })
})

describe('nativeSigner', () => {
  test.each(['', 'text', 'Ω'.repeat(200)])('signs %j as the protocol does', (message) => {
    const signer = nativeSigner(seed)
    expect(signer.publicKey).toBe(ed25519PublicKey(seed))
    expect(signer.sign(message)).toBe(signEd25519(seed, message))
  })

  test('has the public key that the protocol derives from any seed', () => {
    const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytesToHex(bytes))
    fc.assert(
      fc.property(hex, (any) => {
        expect(nativeSigner(any).publicKey).toBe(ed25519PublicKey(any))
      }),
    )
  })
})
