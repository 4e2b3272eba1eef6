import type { Ed25519Signer, Ed25519Verifier } from '../../../protocol/signatures/index.ts'
import {
  nativeSigner as runtimeSigner,
  verifyNatively as verifyByRuntime,
} from '../../../workers/native-ed25519.ts'

/**
 * The runtime's ed25519 with cached results: hub and validators of a simulation share this process, and all of them check
 * the same votes. A result is cached for the exact bytes.
 */
const keptMax = 50_000
const verified = new Map<string, boolean>()

function keep<T>(known: Map<string, T>, name: string, value: T): T {
  if (known.size >= keptMax) known.clear()
  known.set(name, value)
  return value
}

const nameOf = (publicKey: unknown, message: string, signature: unknown): string =>
  `${publicKey} ${signature} ${message}`

export const verifyNatively: Ed25519Verifier = (publicKey, message, signature) => {
  if (typeof message !== 'string') return verifyByRuntime(publicKey, message, signature)
  const name = nameOf(publicKey, message, signature)
  return verified.get(name) ?? keep(verified, name, verifyByRuntime(publicKey, message, signature))
}

/** Signs each text once. A signature that the runtime made with a key counts as verified with it. */
export function nativeSigner(seed: string): Ed25519Signer {
  const { publicKey, sign } = runtimeSigner(seed)
  const signed = new Map<string, ReturnType<typeof sign>>()
  const signOnce: typeof sign = (message) => {
    const signature = keep(signed, message, sign(message))
    keep(verified, nameOf(publicKey, message, signature), true)
    return signature
  }
  return { publicKey, sign: (message) => signed.get(message) ?? signOnce(message) }
}
