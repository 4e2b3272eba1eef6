import type { RelayView } from '../../durable-objects/relayer.ts'
import {
  type Action,
  actions,
  buildGaslessPayload,
  checkRelayState,
  checkSignedBody,
  domainOf,
  type ExpectedAction,
  type GaslessPayload,
  type TypedMessage,
} from '../../protocol/typed-data.ts'
import { type HubContext, unixNow } from '../context.ts'
import type { Contracts } from '../env.ts'
import { ApiError, invalidField, unavailable } from '../errors.ts'
import { json } from '../http/answer.ts'
import { transactionView } from '../routes/network/transaction.ts'
import { readBalance, readNonce } from './account-state.ts'
import { encodeActionCall, type SignedAction } from './action-calls.ts'
import { refusalError } from './refusal.ts'

/** An action of an account, before or beside its signature. */
export interface RequestedAction {
  action: Action
  /** Who signs it: the first member of the struct. */
  account: string
  /** The members that path, account and stored records fix, without nonce and deadline. */
  message: TypedMessage
}

/** What the account gets to sign. Throws 503 `unavailable` while the chain does not answer. */
export async function gaslessPayload(
  c: HubContext,
  { action, account, message }: RequestedAction,
): Promise<GaslessPayload> {
  const contracts = requireContracts(c)
  const profile = c.var.settings.PROFILE
  const { verifyingContract } = domainOf(profile, contracts, actions[action])
  const [nonce, permitNonce] = await Promise.all([
    readNonce(c, verifyingContract, account),
    action === 'bond' ? readNonce(c, contracts.token, account) : 0n,
  ])
  return buildGaslessPayload(profile, contracts, { action, message, nonce, permitNonce, now: unixNow() })
}

/**
 * Relays the signed body of an action, and answers 202 with its state. A route that relays makes its state checks, says
 * which members are fixed, and returns what this returns. The same signed action posted again, at once or later, is
 * answered with what became of it.
 *
 * @throws {@link ApiError} in the order of the checks: 400 `invalid_field`, 422 `bad_signature`, 409 `conflict` for a
 * nonce that is not the current one, 422 `insufficient_collateral`, 409 `conflict` for another action on its way, 422
 * with the contract's reason; 503 `unavailable` when nothing was taken.
 */
export async function relayAction(
  c: HubContext,
  { action, account, message, body }: RequestedAction & { body: unknown },
): Promise<Response> {
  const { relayer } = c.var.services
  const contracts = requireContracts(c)
  if (relayer === null) throw unavailable('The relay')
  const expected = expectedAction(c, contracts, action, message)
  const signed = requireSigned(body, expected)

  const known = await relayer.find(signed.digest)
  if (known) return accepted(known)
  await requireState(c, contracts, { account, expected, signed })
  const { verifyingContract } = expected.domain
  const result = await relayer.relay({
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

const accepted = (relay: RelayView): Response =>
  json(transactionView(relay), 202, { Location: `/v1/transactions/${relay.id}` })

function requireContracts(c: HubContext): Contracts {
  const contracts = c.var.settings.CHAIN_CONTRACTS
  if (contracts === undefined) throw unavailable('The chain')
  return contracts
}

function expectedAction(
  c: HubContext,
  contracts: Contracts,
  action: Action,
  message: TypedMessage,
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

function requireSigned(body: unknown, expected: ExpectedAction): SignedAction {
  const check = checkSignedBody(body, expected, unixNow())
  if (check.ok) return check
  if (check.code === 'invalid_field')
    throw invalidField(check.path, 'differs from what this hub asks to sign, or does not fit')
  throw new ApiError('bad_signature', `${check.path} is not the account's over this typed data.`, {
    status: 422,
    details: { path: check.path },
  })
}

async function requireState(
  c: HubContext,
  contracts: Contracts,
  { account, expected, signed }: { account: string; expected: ExpectedAction; signed: SignedAction },
): Promise<void> {
  const bonds = expected.primaryType === 'Bond'
  const [nonce, permitNonce, balance] = await Promise.all([
    readNonce(c, expected.domain.verifyingContract, account),
    signed.permit ? readNonce(c, contracts.token, account) : 0n,
    bonds ? readBalance(c, contracts.token, account) : 0n,
  ])
  switch (checkRelayState(signed, { nonce, permitNonce, ...(bonds && { balance }) })) {
    case 'conflict':
      throw new ApiError(
        'conflict',
        "A signed nonce is not the account's current one. Ask for a fresh payload and sign that.",
        { details: { reason: 'nonce', current_nonce: String(nonce) } },
      )
    case 'insufficient_collateral':
      throw new ApiError(
        'insufficient_collateral',
        `The wallet holds ${balance} of the ${signed.message.amount} it bonds.`,
        { details: { balance: String(balance), amount: String(signed.message.amount) } },
      )
    case null:
  }
}
