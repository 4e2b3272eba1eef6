import { createPublicKey, verify } from 'node:crypto'
import type { Profile } from '../../identity/index.ts'
import { H, isHash, isText, type Json, raw, text } from './notation.ts'

const fieldPrime = 2n ** 255n - 19n
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

/** Section 3: the points of small order, and the two that have x = 0 with the sign bit set. */
const refusedKeys = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(31)}`,
].map((digits) => `0x${digits}`)

const littleEndian = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** Section 3, by the verifier of Node, with the checks in front of it that the section asks for. */
export function verifies(key: Json, message: string, signature: Json): boolean {
  if (!isHash(key) || refusedKeys.includes(key)) return false
  if (!isText(signature) || !/^0x[0-9a-f]{128}$/.test(signature)) return false
  if (littleEndian(raw(key)) % 2n ** 255n >= fieldPrime) return false
  if (littleEndian(raw(signature).subarray(32)) >= groupOrder) return false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw(key).toString('base64url') }
  return verify(null, text(message), createPublicKey({ key: jwk, format: 'jwk' }), raw(signature))
}

/** Section 4. */
export const nodeIdOf = (profile: Profile, key: string): string =>
  profile.node_id_prefix + H(raw(key)).slice(2, 18)

/** How many of the validators signed a text, each counted once. */
export function countSigners(
  profile: Profile,
  message: string,
  attestations: Json[],
  validators: readonly string[],
): number {
  return validators.filter((key) =>
    attestations.some(
      (one) =>
        canonKeys(one) === 'node_id,public_key,signature' &&
        one.public_key === key &&
        one.node_id === nodeIdOf(profile, key) &&
        verifies(key, message, one.signature),
    ),
  ).length
}

const canonKeys = (value: Json): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).sort().join() : ''
