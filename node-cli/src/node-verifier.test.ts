import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ed25519PublicKey, signEd25519, verifyEd25519 } from '../../protocol/signatures/index.ts'
import { verifyNatively } from './node-verifier.ts'

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

  test('says of each changed byte what the verifier of the protocol says', () => {
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
})
