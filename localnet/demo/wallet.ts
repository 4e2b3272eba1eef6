import { randomBytes } from 'node:crypto'
import {
  checkTypedData,
  domainOf,
  hashAction,
  type PrimaryType,
  type TypedData,
} from '../../protocol/actions/index.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { isSafeToSign } from '../../protocol/identity/index.ts'
import {
  evmAddress,
  signEvmDigest,
  signPersonalMessage,
  type TypedMessage,
} from '../../protocol/signatures/index.ts'
import type { components } from '../client/api.generated.ts'
import { type Connection, connect, done, until } from './calls.ts'
import type { Network } from './network.ts'
import { shorten, show } from './show.ts'

export type SignedBody = components['schemas']['SignedGaslessBody']
export type Payload = Pick<components['schemas']['GaslessPayload'], 'typed_data' | 'permit'>

/** A wallet that reads what it signs. */
export interface Wallet {
  readonly key: string
  readonly address: string
  /** With its session. */
  readonly hub: Connection
}

export const now = (): number => Math.floor(Date.now() / 1000)

/** Makes a wallet, or takes the one with this key, and signs it in with EIP-4361. */
export async function signIn(
  { hub, open, profile }: Network,
  key: string = bytesToHex(randomBytes(32)),
): Promise<Wallet> {
  const address = evmAddress(key)
  show('·', `wallet ${address}`)
  const { host } = new URL(hub)
  const { message, nonce } = await done(
    open.shown.POST('/v1/auth/nonce', { body: { address, domain: host } }),
  )
  show('│', message)
  if (!isSafeToSign(profile, message, { host, address, nonce, now: now() }))
    throw new Error('the wallet refuses to sign this text')
  const signature = signPersonalMessage(key, message)
  const { token } = await done(open.shown.POST('/v1/auth/siwe', { body: { message, signature } }))
  return { key, address, hub: connect(hub, token) }
}

/** Signs typed data after comparing it with the descriptor and with what the wallet itself wants. */
function signTypedData(
  { profile, contracts }: Network,
  { key }: Wallet,
  typedData: Payload['typed_data'],
  wanted: TypedMessage,
): string {
  // The check that follows trusts none of it.
  const { primaryType, domain, message, types } = typedData as unknown as TypedData
  if (contracts === null) throw new Error('this network has no contracts to sign for')
  const expected = {
    primaryType: primaryType as PrimaryType,
    domain: domainOf(profile, contracts, primaryType as PrimaryType),
    message: wanted,
  }
  const check = checkTypedData({ primaryType, domain, message, types }, expected, now())
  if (!check.ok) throw new Error(`the wallet refuses to sign this: ${check.path} is not what it asked for`)
  return signEvmDigest(key, hashAction(expected.domain, expected.primaryType, check.message))
}

type Transaction = components['schemas']['Transaction']

/**
 * Signs a payload, with the permit beside it, and posts it back; waits until the chain has it.
 *
 * @param post Sends the signed body to the call that gave the payload.
 */
export async function signAndRelay(
  network: Network,
  wallet: Wallet,
  { typed_data, permit }: Payload,
  wanted: TypedMessage,
  post: (body: SignedBody) => Promise<unknown>,
): Promise<void> {
  show('✎', shorten(`${typed_data.primaryType} ${JSON.stringify(wanted)}`))
  const permitted = {
    owner: wallet.address,
    spender: network.contracts?.staking ?? '',
    value: wanted.amount ?? '',
  }
  const relayed = (await post({
    typed_data,
    signature: signTypedData(network, wallet, typed_data, wanted),
    ...(permit && { permit, permit_signature: signTypedData(network, wallet, permit, permitted) }),
  })) as Transaction
  const path = { id: relayed.id }
  await until(
    () => network.open.silent.GET('/v1/transactions/{id}', { params: { path } }),
    ({ status, error }) => {
      if (status === 'reverted' || status === 'failed')
        throw new Error(`${relayed.action} ${status}: ${error}`)
      return status === 'confirmed'
    },
  )
}
