import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { bytesToHex, raw32 } from '../../protocol/encoding/index.ts'
import type { Ed25519Signer } from '../../protocol/signatures/index.ts'

/** PKCS #8 around the 32 bytes of an ed25519 seed (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
/** SubjectPublicKeyInfo ends with the 32 bytes of the key. */
const publicKeyBytes = 32

/**
 * Signs natively: a run is over before the JavaScript of the curve would have made its first table. Keys and signatures
 * are those of `protocol/ed25519.ts`.
 *
 * @param seed `0x` and 64 hex digits.
 * @throws {@link FormatError} for any other seed.
 */
export function nodeSigner(seed: string): Ed25519Signer {
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Head, raw32(seed, 'seed')]),
    format: 'der',
    type: 'pkcs8',
  })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: bytesToHex(spki.subarray(-publicKeyBytes)),
    sign: (text) => bytesToHex(sign(null, Buffer.from(text), key)),
  }
}
