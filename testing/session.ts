import { generatePrivateKey } from 'viem/accounts'
import { resolveProfile } from '../protocol/identity/index.ts'
import { connectTo, fetchFromHub } from '../scripts/hub/network.ts'
import { signIn as signWalletIn } from '../scripts/hub/wallet.ts'

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

/** The host for the sign-in of websites under development. Every hub knows it, whatever its own name is. */
const website = 'localhost:7878'

/** Signs a wallet in at a running hub, a fresh one unless its key is given. Calls are neither typed nor checked. */
export async function signIn(
  hub: URL,
  address = freshAddress(),
  key: string = generatePrivateKey(),
): Promise<Session> {
  const headers = { 'CF-Connecting-IP': address }
  const calls = connectTo(hub.origin, (request) => {
    request.headers.set('CF-Connecting-IP', address)
    return fetchFromHub(request)
  })
  const network = { ...calls, profile: resolveProfile() }
  const { address: wallet, token } = await signWalletIn(network, key, undefined, website)
  const authorized = { ...headers, Authorization: `Bearer ${token}` }
  return {
    wallet,
    get: (path) => fetch(new URL(path, hub), { headers: authorized }),
    post: (path, json) =>
      fetch(new URL(path, hub), {
        method: 'POST',
        headers: { ...authorized, 'Content-Type': 'application/json' },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      }),
  }
}
