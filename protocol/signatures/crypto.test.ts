import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, concatBytes, hashBytes, hashText, hexToBytes } from '../encoding/index.ts'
import { anyText } from '../testing/arbitraries.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  ed25519PublicKey,
  isCanonicalEd25519Signature,
  isEd25519PublicKey,
  signEd25519,
  verifyEd25519,
} from './ed25519.ts'
import {
  checkEvmSignature,
  checkPersonalSignature,
  evmAddress,
  hashPersonalMessage,
  signPersonalMessage,
} from './secp256k1.ts'

describeVectors('crypto')

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex)
const wallets = seeds.filter((key) => secp256k1.utils.isValidPrivateKey(hexToBytes(key)))
const messages = fc.oneof(anyText, fc.uint8Array())

describe('hashBytes', () => {
  test('has the known values of the notation', () => {
    expect(hashBytes()).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    expect(hashText('[]')).toBe('0x518674ab2b227e5f11e9084f615d57663cde47bce1ba168b4c19c7ee22a73d70')
  })
})

describe('verifyEd25519', () => {
  property(
    'accepts what was signed and nothing else',
    [seeds, messages, fc.nat(511)],
    (seed, message, bit) => {
      const publicKey = ed25519PublicKey(seed)
      const signature = signEd25519(seed, message)
      expect(verifyEd25519(publicKey, message, signature)).toBe(true)
      const bytes = hexToBytes(signature)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      expect(verifyEd25519(publicKey, message, bytesToHex(bytes))).toBe(false)
    },
    { numRuns: 25 },
  )

  test('property: agrees with the native signer and verifier', () => {
    const pkcs8 = hexToBytes('0x302e020100300506032b657004220420')
    fc.assert(
      fc.property(seeds, fc.uint8Array(), (seed, message) => {
        const privateKey = createPrivateKey({
          key: Buffer.from(concatBytes(pkcs8, hexToBytes(seed))),
          format: 'der',
          type: 'pkcs8',
        })
        const signature = signEd25519(seed, message)
        expect(bytesToHex(sign(null, message, privateKey))).toBe(signature)
        expect(verify(null, message, createPublicKey(privateKey), hexToBytes(signature))).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  test('property: never throws', () => {
    fc.assert(
      fc.property(fc.anything(), messages, fc.anything(), (key, message, signature) => {
        expect(verifyEd25519(key, message, signature)).toBe(false)
      }),
    )
    const shapes = fc.tuple(seeds, fc.uint8Array({ minLength: 64, maxLength: 64 }).map(bytesToHex))
    fc.assert(
      fc.property(shapes, messages, ([key, signature], message) => {
        expect(verifyEd25519(key, message, signature)).toBe(false)
      }),
    )
  })
})

describe('isEd25519PublicKey', () => {
  property(
    'every key of a seed is accepted',
    [seeds],
    (seed) => {
      expect(isEd25519PublicKey(ed25519PublicKey(seed))).toBe(true)
    },
    { numRuns: 25 },
  )
})

describe('isCanonicalEd25519Signature', () => {
  test('refuses S of the group order and above', () => {
    const order = 'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010'
    const below = `ec${order.slice(2)}`
    expect(isCanonicalEd25519Signature(`0x${'00'.repeat(32)}${below}`)).toBe(true)
    expect(isCanonicalEd25519Signature(`0x${'00'.repeat(32)}${order}`)).toBe(false)
  })
})

describe('checkPersonalSignature', () => {
  property(
    'accepts the signer in both forms of v and normalises to 27 or 28',
    [wallets, messages],
    (key, message) => {
      const signature = signPersonalMessage(key, message)
      const v = Number(`0x${signature.slice(130)}`)
      expect(checkPersonalSignature(message, signature, evmAddress(key))).toEqual({
        ok: true,
        normalized: signature,
      })
      expect(
        checkPersonalSignature(message, `${signature.slice(0, 130)}0${v - 27}`, evmAddress(key)),
      ).toEqual({ ok: true, normalized: signature })
    },
    { numRuns: 25 },
  )

  test('property: never throws', () => {
    const shaped = fc.uint8Array({ minLength: 65, maxLength: 65 }).map(bytesToHex)
    fc.assert(
      fc.property(seeds, fc.oneof(fc.anything(), shaped), fc.string(), (digest, signature, address) => {
        expect(checkEvmSignature(digest, signature, address).ok).toBe(false)
      }),
    )
  })

  test('the digest counts bytes, not characters', () => {
    expect(hashPersonalMessage('é')).toBe(hashPersonalMessage(Uint8Array.of(0xc3, 0xa9)))
    expect(hashPersonalMessage('é')).not.toBe(hashPersonalMessage('e'))
  })
})
