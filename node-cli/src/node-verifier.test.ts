import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ed25519 } from '@noble/curves/ed25519'
import { sha512 } from '@noble/hashes/sha2'
import { describe, expect, test } from 'vitest'
import { ed25519PublicKey, signEd25519, verifyEd25519 } from '../../protocol/signatures/index.ts'
import { verifyNatively } from './node-verifier.ts'

const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

/** 64 hex digits. */
const littleEndian = (value: bigint): string =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex')

/** The points of small order, each in every encoding that somebody may take for it. */
const oddPoints = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map((hex) => `0x${hex}`)

interface KnownAnswer {
  name: string
  input: { kind: string; public_key: string; message: string; signature: string }
  output: { valid: boolean }
}

const file = path.join(import.meta.dirname, '../../protocol/vectors/crypto.json')
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: KnownAnswer[] }
const ofNodes = cases.filter(({ input }) => input.kind === 'ed25519')

describe('verifyNatively', () => {
  test.each(ofNodes)('vector: $name', ({ input, output }) => {
    expect(verifyNatively(input.public_key, input.message, input.signature)).toBe(output.valid)
  })

  test('agrees with the verifier of the protocol on each changed byte', () => {
    const seed = `0x${'07'.repeat(32)}`
    const key = ed25519PublicKey(seed)
    const signature = signEd25519(seed, 'text')
    expect(verifyNatively(key, 'text', signature)).toBe(true)
    for (let at = 2; at < signature.length; at += 9) {
      const digit = signature[at] === '0' ? '1' : '0'
      const changed = signature.slice(0, at) + digit + signature.slice(at + 1)
      expect([at, verifyNatively(key, 'text', changed)]).toEqual([at, verifyEd25519(key, 'text', changed)])
    }
    expect(verifyNatively(key, 'text', '0x12')).toBe(false)
  })

  test('agrees with the verifier of the protocol on points of small order, and on those in other encodings', () => {
    const honest = ed25519PublicKey(`0x${'07'.repeat(32)}`)
    const signed = signEd25519(`0x${'07'.repeat(32)}`, 'text')
    const scalars = [0n, 1n, groupOrder - 1n, groupOrder].map((scalar) => littleEndian(scalar))
    for (const key of [...oddPoints, honest])
      for (const r of [...oddPoints, signed.slice(0, 66)])
        for (const s of [...scalars, signed.slice(66)]) {
          const signature = r + s
          expect([key, signature, verifyNatively(key, 'text', signature)]).toEqual([
            key,
            signature,
            verifyEd25519(key, 'text', signature),
          ])
        }
  })

  test('agrees with the verifier of the protocol on keys with a small-order part, some of whose signatures verify', () => {
    const { scalar, point } = ed25519.utils.getExtendedPublicKey('07'.repeat(32))
    const torsion = ed25519.ExtendedPoint.fromHex(oddPoints[4]!.slice(2))
    const mixed = point.add(torsion).toRawBytes()
    const outcomes = Array.from({ length: 64 }, (_, i) => {
      const message = new TextEncoder().encode(`message ${i}`)
      const r = ed25519.ExtendedPoint.BASE.toRawBytes()
      const digest = sha512(Buffer.concat([r, mixed, message]))
      const k = BigInt(`0x${Buffer.from(digest).reverse().toString('hex')}`) % groupOrder
      const signature = `0x${Buffer.from(r).toString('hex')}${littleEndian((1n + k * scalar) % groupOrder)}`
      const key = `0x${Buffer.from(mixed).toString('hex')}`
      const valid = verifyEd25519(key, message, signature)
      expect([i, verifyNatively(key, message, signature)]).toEqual([i, valid])
      return valid
    })
    expect(new Set(outcomes)).toEqual(new Set([true, false]))
  })
})
