import { secp256k1 } from '@noble/curves/secp256k1'
import {
  bytesToHex,
  bytesToUnsigned,
  concatBytes,
  type Hex,
  hashBytes,
  hexToBytes,
  isEvmSignature,
  keccakBytes,
  raw32,
  unsignedBytes,
  utf8,
} from '../encoding/index.ts'

const groupOrder = secp256k1.CURVE.n

/**
 * The EIP-191 digest of a message: `personal(m)` = `H("\x19Ethereum Signed Message:\n" ‖ byte count in decimal ‖ m)`.
 * @param message A text (its UTF-8 bytes) or bytes.
 */
export function hashPersonalMessage(message: string | Uint8Array): Hex {
  const content = typeof message === 'string' ? utf8(message) : message
  return hashBytes(utf8(`\x19Ethereum Signed Message:\n${content.length}`), content)
}

/** A signature in the form that is stored and compared, or the first check that failed. */
export type EvmSignatureCheck =
  | { readonly ok: true; readonly normalized: Hex }
  | { readonly ok: false; readonly code: 'invalid_field' | 'bad_signature' }

/**
 * Checks a secp256k1 signature `r ‖ s ‖ v` of 65 bytes over a digest, in the order of section 3:
 *
 * 1. it matches `^0x[0-9a-f]{130}$`, else `invalid_field`;
 * 2. v is 27 or 28, or 0 or 1 (then 27 is added);
 * 3. 1 ≤ r < n and 1 ≤ s ≤ floor(n / 2);
 * 4. recovery succeeds and gives the expected address; 2–4 fail with `bad_signature`.
 *
 * @param digest The 32 signed bytes in hex.
 * @param address The expected signer, lower case.
 */
export function checkEvmSignature(digest: string, signature: unknown, address: string): EvmSignatureCheck {
  if (!isEvmSignature(signature)) return { ok: false, code: 'invalid_field' }
  const refused: EvmSignatureCheck = { ok: false, code: 'bad_signature' }
  const bytes = hexToBytes(signature)
  const v = bytes[64]! < 27 ? bytes[64]! + 27 : bytes[64]!
  if (v !== 27 && v !== 28) return refused
  const r = bytesToUnsigned(bytes.slice(0, 32))
  const s = bytesToUnsigned(bytes.slice(32, 64))
  // A high s is the same signature written a second way.
  if (r < 1n || r >= groupOrder || s < 1n || s > groupOrder / 2n) return refused
  try {
    const parsed = new secp256k1.Signature(r, s).addRecoveryBit(v - 27)
    if (addressOfPoint(parsed.recoverPublicKey(hexToBytes(digest)).toRawBytes(false)) !== address)
      return refused
  } catch {
    // Not every r is the abscissa of a curve point.
    return refused
  }
  return { ok: true, normalized: bytesToHex(concatBytes(bytes.slice(0, 64), Uint8Array.of(v))) }
}

/** As {@link checkEvmSignature}, over `personal(message)`. */
export function checkPersonalSignature(
  message: string | Uint8Array,
  signature: unknown,
  address: string,
): EvmSignatureCheck {
  return checkEvmSignature(hashPersonalMessage(message), signature, address)
}

/** An address is the last 20 bytes of the hash of the uncompressed point without its leading `04`. */
const addressOfPoint = (point: Uint8Array): Hex => bytesToHex(keccakBytes(point.slice(1)).slice(12))

/** The address of a secp256k1 private key. Throws {@link FormatError} unless the key is `0x` and 64 hex digits. */
export function evmAddress(privateKey: string): Hex {
  return addressOfPoint(secp256k1.getPublicKey(raw32(privateKey, 'private_key'), false))
}

/** Signs a digest of 32 bytes: low s, v 27 or 28, nonce by RFC 6979 and therefore deterministic. */
export function signEvmDigest(privateKey: string, digest: string): Hex {
  const signature = secp256k1.sign(raw32(digest, 'digest'), raw32(privateKey, 'private_key'))
  return bytesToHex(
    concatBytes(signature.toCompactRawBytes(), unsignedBytes(27 + signature.recovery, 1, 'recovery')),
  )
}

/** Signs `personal(message)`, as a wallet's personal_sign does. */
export function signPersonalMessage(privateKey: string, message: string | Uint8Array): Hex {
  return signEvmDigest(privateKey, hashPersonalMessage(message))
}
