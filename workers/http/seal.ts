import { base64UrlToBytes, bytesToBase64Url } from './base64.ts'

const ivBytes = 12
const utf8 = new TextEncoder()

/**
 * Encrypts kept texts that may hold secrets, such as the answer that shows an API key once: AES-256-GCM
 * under the deployment's secret, so that a copy of the database alone reads none of them.
 */
export class Sealer {
  readonly #key: Promise<CryptoKey>

  constructor(secret: string) {
    this.#key = deriveKey(secret)
    // Awaited where it is used; until then nobody listens.
    this.#key.catch(() => {})
  }

  /** @param context The record that the text belongs to; only the same context opens the text again. */
  async seal(text: string, context: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
    const sealed = await crypto.subtle.encrypt(algorithm(iv, context), await this.#key, utf8.encode(text))
    const joined = new Uint8Array(ivBytes + sealed.byteLength)
    joined.set(iv)
    joined.set(new Uint8Array(sealed), ivBytes)
    return bytesToBase64Url(joined)
  }

  /** @throws When the text was sealed under another secret or for another context. */
  async open(sealed: string, context: string): Promise<string> {
    const joined = base64UrlToBytes(sealed) ?? new Uint8Array()
    const iv = joined.slice(0, ivBytes)
    const text = await crypto.subtle.decrypt(algorithm(iv, context), await this.#key, joined.slice(ivBytes))
    return new TextDecoder().decode(text)
  }
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, ['deriveKey'])
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8.encode('kept answers') }
  return crypto.subtle.deriveKey(hkdf, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: utf8.encode(context),
})
