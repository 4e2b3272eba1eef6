import { bytesToHex } from '../../protocol/encoding/index.ts'
import { evmAddress, signPersonalMessage } from '../../protocol/signatures/index.ts'
import { type Client, client } from './client.ts'

export interface Wallet {
  address: string
  sign: (message: string) => string
}

export function createWallet(key: string = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))): Wallet {
  return { address: evmAddress(key), sign: (message) => signPersonalMessage(key, message) }
}

/** Signs a fresh wallet in, through the endpoints. */
export async function signIn(
  wallet: Wallet = createWallet(),
): Promise<Wallet & { token: string; client: Client }> {
  const anonymous = client()
  const nonce = await anonymous.post('/v1/auth/nonce', { address: wallet.address, domain: 'localhost:8787' })
  const { message } = (await nonce.json()) as { message: string }
  const session = await anonymous.post('/v1/auth/siwe', { message, signature: wallet.sign(message) })
  const { token } = (await session.json()) as { token: string }
  return { ...wallet, token, client: client({ token }) }
}
