import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { type ActionOptions, act, type SignedBody, type Transaction } from '../../sdk/actions.ts'
import type { Hub, Schemas } from '../../sdk/index.ts'
import { keyWallet } from '../../sdk/key-wallet.ts'
import { signIn as signInWith } from '../../sdk/sign-in.ts'
import { fetchFromHub, type Network } from './network.ts'

export type Payload = Schemas['GaslessPayload']

/** A wallet that is signed in to a hub. */
export interface Wallet {
  /** Its private key, `0x` and 64 hex digits. */
  readonly key: string
  readonly address: string
  readonly token: string
  /** Unix seconds. */
  readonly expiresAt: number
  /** Calls with its session. */
  readonly client: Hub
  /** The same, past what shows the calls of others. */
  readonly quiet: Hub
}

export const unixNow = (): number => Math.floor(Date.now() / 1000)

/**
 * Signs a wallet in.
 *
 * @param onMessage told the text that is about to be signed.
 * @param domain host that it signs in to, where that is not the hub's own.
 */
export async function signIn(
  { client, clientOf, profile }: Pick<Network, 'client' | 'clientOf' | 'profile'>,
  key: string,
  onMessage: (message: string) => void = () => {},
  domain: string = new URL(client.url).host,
): Promise<Wallet> {
  const { token, address, expires_at } = await signInWith(client, profile, keyWallet(key), {
    onMessage,
    domain,
  })
  return {
    key,
    address,
    token,
    expiresAt: expires_at,
    client: clientOf(token),
    quiet: clientOf(token, fetchFromHub),
  }
}

/**
 * Signs a payload, with the permit beside it, posts it back, and waits until the chain has it.
 *
 * @param wanted what the owner wants to sign: the payload is compared with it.
 * @param post sends the signed body to the call that gave the payload.
 * @param options for how long it waits, and who is told of the transaction at once.
 */
export const signAndRelay = (
  network: Network,
  wallet: Wallet,
  payload: Payload,
  wanted: TypedMessage,
  post: (body: SignedBody) => Promise<unknown>,
  options: Pick<ActionOptions, 'timeout' | 'onTransaction'> = {},
): Promise<Transaction> =>
  act(
    network.quiet,
    network,
    keyWallet(wallet.key),
    { action: payload.action, wanted, prepare: async () => payload, relay: ({ body }) => post(body) },
    options,
  )
