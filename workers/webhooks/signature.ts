import { base64ToBytes, bytesToBase64 } from '../http/base64.ts'

const prefix = 'whsec_'
const utf8 = new TextEncoder()

/** A secret in the form of Standard Webhooks. @param bytes - From 24 to 64. */
export const formatSecret = (bytes: Uint8Array): string => prefix + bytesToBase64(bytes)

/** The headers of Standard Webhooks, with one signature for each secret. @param at - Unix seconds of this attempt. */
export async function signedHeaders(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, `${id}.${at}.${body}`)))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  }
}

async function sign(secret: string, text: string): Promise<string> {
  const bytes = base64ToBytes(secret.slice(prefix.length))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return bytesToBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text))))
}
