import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { ed25519PublicKey, signEd25519 } from '../../protocol/signatures/index.ts'
import { nodeSigner } from './node-signer.ts'

test('signs as the protocol does, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.string({ unit: 'grapheme' }),
      (bytes, text) => {
        const seed = bytesToHex(bytes)
        const signer = nodeSigner(seed)
        expect(signer.publicKey).toBe(ed25519PublicKey(seed))
        expect(signer.sign(text)).toBe(signEd25519(seed, text))
      },
    ),
    { numRuns: 50 },
  )
})

test('a seed that is not 32 bytes is refused', () => {
  expect(() => nodeSigner('0x00')).toThrowError(expect.objectContaining({ name: 'FormatError' }))
})
