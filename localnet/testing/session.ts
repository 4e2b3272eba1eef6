import { generatePrivateKey } from 'viem/accounts'
import { evmAddress, signPersonalMessage } from '../../protocol/signatures/index.ts'

let addresses = 0
/** A client address nobody has used, so that limits of one test do not reach another. */
export const freshAddress = (): string => {
  addresses += 1
  return `10.1.${(addresses >> 8) & 255}.${addresses & 255}`
}

export interface Session {
  wallet: string
  get: (path: string) => Promise<Response>
  post: (path: string, json?: unknown) => Promise<Response>
}

/** Signs a wallet in at a running hub, a fresh one unless its key is given. */
export async function signIn(
  hub: URL,
  address = freshAddress(),
  key: string = generatePrivateKey(),
  domain = 'localhost:8787',
): Promise<Session> {
  const wallet = evmAddress(key)
  const headers: Record<string, string> = { 'CF-Connecting-IP': address }
  const post = (path: string, json?: unknown) =>
    fetch(new URL(path, hub), {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  const nonce = await post('/v1/auth/nonce', { address: wallet, domain })
  const { message } = (await nonce.json()) as { message: string }
  const session = await post('/v1/auth/siwe', { message, signature: signPersonalMessage(key, message) })
  const { token } = (await session.json()) as { token: string }
  headers.Authorization = `Bearer ${token}`
  return { wallet, post, get: (path) => fetch(new URL(path, hub), { headers }) }
}
