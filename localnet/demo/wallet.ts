import { randomBytes } from 'node:crypto'
import { evmAddress, signEvmDigest, signPersonalMessage } from '../../protocol/crypto.ts'
import { bytesToHex } from '../../protocol/hex.ts'
import { isSafeToSign } from '../../protocol/siwe.ts'
import {
  checkTypedData,
  domainOf,
  type GaslessPayload,
  hashAction,
  type PrimaryType,
  type TypedData,
  type TypedMessage,
} from '../../protocol/typed-data.ts'
import { type Answer, call, until } from './calls.ts'
import type { Network } from './network.ts'
import { shorten, show } from './show.ts'

/** A wallet that reads what it signs. */
export interface Wallet {
  readonly key: string
  readonly address: string
  readonly token: string
}

export const now = (): number => Math.floor(Date.now() / 1000)

/** Makes a wallet, or takes the one with this key, and signs it in with EIP-4361. */
export async function signIn(
  { hub, profile }: Network,
  key: string = bytesToHex(randomBytes(32)),
): Promise<Wallet> {
  const address = evmAddress(key)
  show('·', `wallet ${address}`)
  const { host } = new URL(hub)
  const { json: nonce } = await call(hub, 'POST', '/v1/auth/nonce', { json: { address, domain: host } })
  show('│', nonce.message)
  if (!isSafeToSign(profile, nonce.message, { host, address, nonce: nonce.nonce, now: now() }))
    throw new Error('the wallet refuses to sign this text')
  const signature = signPersonalMessage(key, nonce.message)
  const { json } = await call(hub, 'POST', '/v1/auth/siwe', { json: { message: nonce.message, signature } })
  return { key, address, token: json.token }
}

/** Signs typed data after comparing it with the descriptor and with what the wallet itself wants. */
function signTypedData(
  { profile, contracts }: Network,
  { key }: Wallet,
  { primaryType, domain, message, types }: TypedData,
  wanted: TypedMessage,
): string {
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

/** Signs a payload, with the permit beside it, and posts it back; waits until the chain has it. */
export async function signAndRelay(
  network: Network,
  wallet: Wallet,
  path: string,
  payload: GaslessPayload,
  wanted: TypedMessage,
): Promise<Answer> {
  const { typed_data, permit } = payload
  show('✎', shorten(`${typed_data.primaryType} ${JSON.stringify(wanted)}`))
  const signature = signTypedData(network, wallet, typed_data, wanted)
  const permitted = {
    owner: wallet.address,
    spender: network.contracts?.staking ?? '',
    value: wanted.amount ?? '',
  }
  const json = {
    typed_data,
    signature,
    ...(permit && { permit, permit_signature: signTypedData(network, wallet, permit, permitted) }),
  }
  const { json: relayed } = await call(network.hub, 'POST', path, { token: wallet.token, json })
  return until(network.hub, `/v1/transactions/${relayed.id}`, ({ status }) => {
    if (status === 'reverted' || status === 'failed') throw new Error(`${path} ${status}`)
    return status === 'confirmed'
  })
}
