import { unixNow } from '../../durable-objects/clock.ts'
import type { RelayView } from '../../durable-objects/relayer.ts'
import {
  type Action,
  actions,
  buildGaslessPayload,
  checkSignedBody,
  domainOf,
  type ExpectedAction,
  type GaslessPayload,
} from '../../protocol/actions/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import type { Contracts } from '../chain/contracts.ts'
import { requireContracts } from '../chain/contracts.ts'
import type { HubContext } from '../context.ts'
import { ApiError, invalidField, unavailable } from '../errors.ts'
import { type Answer, json } from '../http/answer.ts'
import { parseJsonBody, requireContentType } from '../http/body.ts'
import { transactionView } from '../routes/network/transaction.ts'
import { readNonce } from './account-state.ts'
import { encodeActionCall, type SignedAction } from './action-calls.ts'
import { type DirectTransaction, directTransaction } from './direct-transaction.ts'
import { refusalError } from './refusal.ts'

/** An action of an account, before or beside its signature. */
export interface RequestedAction {
  action: Action
  /** Who signs it: the first member of the struct. */
  account: string
  /** The members that path, account and stored records fix, without nonce and deadline. */
  message: TypedMessage
}

/** An action whose owner and state the route has looked at. */
export interface OwnedAction extends RequestedAction {
  /**
   * Throws 409 `invalid_state` when the record's state does not allow the action. A signed action that was relayed
   * before is what moved the state, so posting it again is answered with what became of it all the same.
   */
  requireState?: () => void | Promise<void>
}

/**
 * What the account gets to sign; `message` has all members of the struct but nonce and deadline.
 *
 * @throws {@link ApiError} 503 `unavailable` while the chain does not answer.
 */
export async function gaslessPayload(
  c: HubContext,
  { action, account, message }: RequestedAction,
): Promise<GaslessPayload & { direct_tx: DirectTransaction }> {
  const contracts = requireContracts(c)
  const profile = c.var.settings.PROFILE
  const { verifyingContract } = domainOf(profile, contracts, actions[action])
  const [nonce, permitNonce] = await Promise.all([
    readNonce(c, verifyingContract, account),
    action === 'bond' ? readNonce(c, contracts.token, account) : 0n,
  ])
  return {
    ...buildGaslessPayload(profile, contracts, { action, message, nonce, permitNonce, now: unixNow() }),
    direct_tx: directTransaction(c, action, message),
  }
}

/**
 * Relays the action in the body of the request, and answers 202 with its state. The route has found the record and its
 * owner, says which members of the struct are fixed and how the state is checked, and returns what this returns. Its
 * declaration has a body from `gasless-schema.ts`. The same signed action posted again, at once or later, is answered
 * with what became of it.
 *
 * @throws {@link ApiError} in the order of the checks: what `requireState` throws; 400 `bad_request` and
 * `invalid_field`, 422 `bad_signature`, 409 `conflict` for another action on its way; then what the contract says of a
 * trial run: 409 `conflict` for a nonce that is not the current one, 422 `insufficient_collateral`, or its reason; 503
 * `unavailable` when nothing was taken.
 */
export async function relayAction(c: HubContext, owned: OwnedAction): Promise<Answer> {
  const earlier = await passState(c, owned)
  if (earlier) return earlier
  const { action, account } = owned
  const { relayer } = c.var.services
  if (relayer === null) throw unavailable('The relay')
  const contracts = requireContracts(c)
  const expected = expectedAction(c, contracts, owned)
  const signed = requireSigned(c, expected)

  const { verifyingContract } = expected.domain
  const result = await relayer.admit({
    id: signed.digest,
    action,
    owner: account,
    lane: `${account}:${verifyingContract}`,
    to: verifyingContract,
    data: encodeActionCall(action, signed),
    valueWei: '0',
  })
  if (result.status !== 'accepted') throw refusalError(result)
  return accepted(result.relay)
}

/**
 * Checks the state. Null when it allows the action; the earlier answer when the body is a signed action that was relayed
 * before. Throws what `requireState` throws otherwise.
 */
export async function passState(
  c: HubContext,
  { requireState, ...requested }: OwnedAction,
): Promise<Answer | null> {
  try {
    await requireState?.()
    return null
  } catch (error) {
    const earlier = await findRelayed(c, requested)
    if (earlier === null) throw error
    return accepted(earlier)
  }
}

async function findRelayed(c: HubContext, requested: RequestedAction): Promise<RelayView | null> {
  const { relayer } = c.var.services
  const contracts = c.var.settings.CHAIN_CONTRACTS
  if (relayer === null || contracts === undefined) return null
  try {
    const { digest } = requireSigned(c, expectedAction(c, contracts, requested))
    return await relayer.find(digest)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

const accepted = (relay: RelayView): Answer =>
  json(transactionView(relay), 202, { Location: `/v1/transactions/${relay.id}` })

function expectedAction(
  c: HubContext,
  contracts: Contracts,
  { action, message }: RequestedAction,
): ExpectedAction {
  const profile = c.var.settings.PROFILE
  const primaryType = actions[action]
  return {
    primaryType,
    domain: domainOf(profile, contracts, primaryType),
    message,
    ...(action === 'bond' && { permit_domain: domainOf(profile, contracts, 'Permit') }),
  }
}

function requireSigned(c: HubContext, expected: ExpectedAction): SignedAction {
  requireContentType(c, 'application/json')
  const check = checkSignedBody(parseJsonBody(c.var.body ?? new Uint8Array()), expected, unixNow())
  if (check.ok) return check
  if (check.code === 'invalid_field')
    throw invalidField(check.path, 'differs from what this hub asks to sign, or does not fit')
  throw new ApiError('bad_signature', `${check.path} is not the account's over this typed data.`, {
    status: 422,
    details: { path: check.path },
  })
}
