import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { bytesToHex, type Hex, raw32 } from '../../protocol/encoding/index.ts'

/** What signs with the key of a node. */
export interface NodeSigner {
  readonly publicKey: Hex
  /** Signs the bytes of a text by RFC 8032. */
  readonly sign: (text: string) => Hex
}

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
export function nodeSigner(seed: string): NodeSigner {
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
