import {
  checkTypedData,
  domainOf,
  hashAction,
  type PrimaryType,
  type TypedData,
} from '../protocol/actions/index.ts'
import { signEvmDigest, type TypedMessage } from '../protocol/signatures/index.ts'
import { unwrap } from './answers.ts'
import type { components } from './api.generated.ts'
import { fetchFromHub } from './connect.ts'
import { HubError } from './hub-error.ts'
import type { Network } from './network.ts'
import type { Wallet } from './sign-in.ts'
import { waitFor } from './wait.ts'

export type SignedBody = components['schemas']['SignedGaslessBody']
export type GaslessPayload = components['schemas']['GaslessPayload']
export type Payload = Pick<GaslessPayload, 'typed_data' | 'permit'>
export type Transaction = components['schemas']['Transaction']

/**
 * Signs a payload, with the permit beside it, posts it back, and waits until the chain has it.
 *
 * @param wanted what the owner wants to sign: the payload is compared with it.
 * @param post sends the signed body to the call that gave the payload.
 * @param limitMs for how long it waits.
 * @throws {@link HubError} when the payload says something else, or the transaction fails.
 */
export async function signAndRelay(
  network: Network,
  wallet: Wallet,
  { typed_data, permit }: Payload,
  wanted: TypedMessage,
  post: (body: SignedBody) => Promise<unknown>,
  limitMs?: number,
): Promise<Transaction> {
  const allowance = {
    owner: wallet.address,
    spender: network.contracts?.staking ?? '',
    value: wanted.amount ?? '',
  }
  const now = await network.now()
  const { id, action } = (await post({
    typed_data,
    signature: signTypedData(network, wallet, typed_data, wanted, now),
    ...(permit && { permit, permit_signature: signTypedData(network, wallet, permit, allowance, now) }),
  })) as Transaction
  const transaction = await waitFor(
    `${action} to be mined`,
    () =>
      unwrap(network.client.GET('/v1/transactions/{id}', { params: { path: { id } }, fetch: fetchFromHub })),
    ({ status }) => ['confirmed', 'reverted', 'failed'].includes(status),
    limitMs,
  )
  if (transaction.status !== 'confirmed')
    throw new HubError(`${action} ${transaction.status}: ${transaction.error}`)
  return transaction
}

/** Signs typed data after comparing it with the descriptor and with what the wallet itself wants. */
function signTypedData(
  { profile, contracts }: Network,
  { key }: Wallet,
  typedData: Payload['typed_data'],
  wanted: TypedMessage,
  now: number,
): string {
  // The check that follows trusts none of it.
  const { primaryType, domain, message, types } = typedData as unknown as TypedData
  if (contracts === null) throw new HubError('this network has no contracts')
  const expected = {
    primaryType: primaryType as PrimaryType,
    domain: domainOf(profile, contracts, primaryType as PrimaryType),
    message: wanted,
  }
  const check = checkTypedData({ primaryType, domain, message, types }, expected, now)
  if (!check.ok) throw new HubError(`the wallet refuses to sign this: ${check.path} differs from the request`)
  return signEvmDigest(key, hashAction(expected.domain, expected.primaryType, check.message))
}
