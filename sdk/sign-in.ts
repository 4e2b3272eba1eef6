import { isSafeToSign } from '../protocol/identity/index.ts'
import { evmAddress, signPersonalMessage } from '../protocol/signatures/index.ts'
import { unwrap } from './answers.ts'
import type { HubClient } from './connect.ts'
import { HubError } from './hub-error.ts'
import type { Network } from './network.ts'

/** A wallet that is signed in to a hub. */
export interface Wallet {
  /** Its private key, `0x` and 64 hex digits. */
  readonly key: string
  readonly address: string
  readonly token: string
  /** Unix seconds. */
  readonly expiresAt: number
  /** Calls with its session. */
  readonly client: HubClient
}

export const unixNow = (): number => Math.floor(Date.now() / 1000)

/**
 * Signs a wallet in with EIP-4361, as a wallet does: it reads the text before signing it.
 *
 * @param onMessage told the text that is about to be signed.
 * @throws {@link HubError}
 */
export async function signIn(
  { hub, profile, client, clientOf }: Pick<Network, 'hub' | 'profile' | 'client' | 'clientOf'>,
  key: string,
  onMessage: (message: string) => void = () => {},
): Promise<Wallet> {
  const { host } = new URL(hub)
  const address = evmAddress(key)
  const { message, nonce } = await unwrap(client.POST('/v1/auth/nonce', { body: { address, domain: host } }))
  onMessage(message)
  if (!isSafeToSign(profile, message, { host, address, nonce, now: unixNow() }))
    throw new HubError(`${hub} asks to sign a text that is not a sign-in to ${host}; nothing was signed.`)
  const signature = signPersonalMessage(key, message)
  const { token, expires_at } = await unwrap(client.POST('/v1/auth/siwe', { body: { message, signature } }))
  return { key, address, token, expiresAt: expires_at, client: clientOf(token) }
}
