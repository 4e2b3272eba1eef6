import { isSafeToSign, resolveProfile } from '../protocol/identity/index.ts'
import { evmAddress, signPersonalMessage } from '../protocol/signatures/index.ts'

/** What the hub refused, in its own words. */
export class HubError extends Error {
  override readonly name = 'HubError'
}

export interface Session {
  readonly token: string
  readonly address: string
  /** Unix seconds. */
  readonly expiresAt: number
}

/**
 * Signs a wallet in to the hub at `hub`, as a wallet does: it reads the text before signing it.
 *
 * @param key Private key of the wallet, `0x` and 64 hex digits.
 * @throws {@link HubError}
 */
export async function signIn(hub: string, key: string): Promise<Session> {
  const { host } = new URL(hub)
  const address = evmAddress(key)
  const descriptor = await request<{ chain?: { id?: number } }>(hub, '/')
  const chainId = descriptor.chain?.id
  if (chainId === undefined) throw new HubError(`What answers on ${hub} is no hub. ${otherHub}`)
  const nonce = await request<{ nonce: string; message: string }>(hub, '/v1/auth/nonce', {
    address,
    domain: host,
  })
  const expected = { host, address, nonce: nonce.nonce, now: Math.floor(Date.now() / 1000) }
  if (!isSafeToSign(resolveProfile({ chain_id: chainId }), nonce.message, expected))
    throw new HubError(`${hub} asks to sign a text that is no sign-in to ${host}; nothing was signed.`)
  const session = await request<{ token: string; expires_at: number }>(hub, '/v1/auth/siwe', {
    message: nonce.message,
    signature: signPersonalMessage(key, nonce.message),
  })
  return { token: session.token, address, expiresAt: session.expires_at }
}

async function request<T>(hub: string, path: string, json?: unknown): Promise<T> {
  const response = await reach(
    hub + path,
    json === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) },
  )
  const body = (await response.json().catch(() => {
    throw new HubError(`What answers on ${hub} is no hub: ${path} gives no JSON. ${otherHub}`)
  })) as T & { error?: string; message?: string }
  if (!response.ok) throw new HubError(`${path} answered ${response.status} ${body.error}: ${body.message}`)
  return body
}

const otherHub = 'Name another with --hub URL or in HUB_URL.'

/** Sends a request to a hub. @throws {@link HubError} when nobody answers. */
export function reach(target: string | Request, init?: RequestInit): Promise<Response> {
  return fetch(target, init).catch((error) => {
    const { origin } = new URL(typeof target === 'string' ? target : target.url)
    throw new HubError(
      `No hub answers on ${origin}: ${reasonOf(error)}. Start one with "npm start". ${otherHub}`,
    )
  })
}

/** fetch says "fetch failed" and hides the reason. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  const { code } = cause as NodeJS.ErrnoException
  if (code?.startsWith('ERR_SSL')) return 'what is there speaks no TLS, so its URL begins with http:'
  return cause.message || String(cause)
}
