import { orNull } from '../../durable-objects/or-null.ts'
import type { RelayRequest, RelayView } from '../../durable-objects/relayer/object.ts'
import { actions, checkSignedBody, domainOf, permitActions } from '../../protocol/actions/index.ts'
import type { JsonValue } from '../../protocol/encoding/index.ts'
import { requireContracts } from '../chain/contracts.ts'
import { networkToken } from '../chain/token.ts'
import type { HubContext } from '../context.ts'
import { ApiError, invalidField } from '../errors.ts'
import { type Answer, json } from '../http/answer.ts'
import { refundRelay, spendAddressBudget, spendRelay } from '../middleware/rate-limit.ts'
import { notSetUp } from '../missing-settings.ts'
import type { IndexedTransaction } from '../stores/transactions.ts'
import type { RequestedAction } from './action-calls.ts'
import { encodeActionCall } from './action-calls.ts'
import { gasMaxOf } from './allowances.ts'
import { recordForeignAction } from './foreign-actions.ts'
import { contractRefusal, refusalError } from './refusal.ts'
import { transactionView } from './transaction.ts'

/** An action with the check whether the record's state allows it, which throws 409 `invalid_state`. */
export interface OwnedAction extends RequestedAction {
  requireState: () => void
  /** Keeps what the hub's own records say of it, once it is relayed. It may run for the same action again. */
  onRelayed?: (relay: Pick<RelayView, 'id' | 'createdAt'>) => Promise<void>
}

/**
 * Relays the posted signed action, and answers 202 with its state. If the same signed action is posted again, the answer is its
 * present state: the action itself moved the state that would refuse it. The same holds for an action that somebody else, who has
 * the signature, has submitted on chain.
 * @throws {@link ApiError} in the order of the checks: what `requireState` throws; 400 `invalid_field`, 422 `bad_signature`, 409 `conflict` for
 * another action on its way; then what the contract says of a trial run: 409 `conflict` for a nonce that is not the current one, 422
 * `insufficient_collateral`, or its reason; 429 `rate_limited` when what its wallet or client address may have relayed in a day is used up; 503
 * `unavailable` when nothing was accepted.
 */
export async function submitAction(
  c: HubContext,
  { requireState, onRelayed, ...requested }: OwnedAction,
  posted: JsonValue,
): Promise<Answer> {
  const relayed = async (relay: RelayView | IndexedTransaction) => {
    await onRelayed?.(relay)
    return answerRelayed(c, relay)
  }
  const submission = readSubmission(c, requested, posted, await c.var.services.clock.now())
  try {
    requireState()
  } catch (refusal) {
    if (!submission.ok) throw refusal
    const { request } = submission
    const earlier = (await findRelayed(c, request.id)) ?? (await recordForeignAction(c, request))
    if (earlier === null) throw refusal
    return relayed(earlier)
  }
  const { relayer } = c.var.services
  if (relayer === null) throw notSetUp('The relayer', c.var.settings, 'relayer')
  if (!submission.ok) throw submission.error
  const { request } = submission
  const earlier = await findRelayed(c, request.id)
  if (earlier !== null) return relayed(earlier)
  // The trial run, which a refused action costs as well, and the state of the relayer's account.
  await spendAddressBudget(c, 'chain_calls', 6)
  await spendRelay(c, request.owner)
  const result = await relayer.accept(request)
  if (result.status === 'accepted') return relayed(result.relay)
  refundRelay(c, request.owner)
  const isUsed = result.status === 'refused' && result.name === 'InvalidAccountNonce'
  const mayBeForeign = isUsed || result.status === 'exhausted'
  const foreign = mayBeForeign ? await recordForeignAction(c, request) : null
  if (foreign !== null) return relayed(foreign)
  if (result.status !== 'refused') throw refusalError(result, request)
  throw contractRefusal(result, networkToken(c.var.settings.PROFILE, requireContracts(c).token))
}

async function answerRelayed(c: HubContext, relay: RelayView | IndexedTransaction): Promise<Answer> {
  const hasEvents = 'hasEvents' in relay ? relay.hasEvents : await areEventsIndexed(c, relay)
  return json(transactionView({ ...relay, hasEvents }), 202, { Location: `/v1/transactions/${relay.id}` })
}

/** The relayer knows no events: whether those of a final action are indexed, its copy says. */
const areEventsIndexed = async (c: HubContext, { id, status }: RelayView): Promise<boolean> =>
  status === 'confirmed' && (await c.var.services.transactions.find(id))?.hasEvents === true

/** A relayer that cannot be asked has nothing to say against the state. */
async function findRelayed({ var: { services } }: HubContext, id: string): Promise<RelayView | null> {
  return services.relayer && orNull(services.relayer.find(id), ApiError)
}

type Submission = { ok: true; request: RelayRequest } | { ok: false; error: ApiError }

function readSubmission(
  { var: { settings } }: HubContext,
  { action, account, message }: RequestedAction,
  posted: JsonValue,
  now: number,
): Submission {
  const { CHAIN_CONTRACTS: contracts, PROFILE: profile, RELAY_ALLOWANCES, RATE_LIMIT_MULTIPLIER } = settings
  if (contracts === undefined) return { ok: false, error: notSetUp('The chain', settings, 'chain') }
  const domain = domainOf(profile, contracts, actions[action])
  const permitDomain = permitActions.includes(action) && {
    permit_domain: domainOf(profile, contracts, 'Permit'),
  }
  const expected = { primaryType: actions[action], domain, message, ...permitDomain }
  const check = checkSignedBody(posted, expected, now)
  if (!check.ok) return { ok: false, error: bodyError(check) }
  return {
    ok: true,
    request: {
      id: check.digest,
      action,
      owner: account,
      serializationKey: `${account}:${domain.verifyingContract}`,
      to: domain.verifyingContract,
      data: encodeActionCall(action, check),
      valueWei: '0',
      gasMax: gasMaxOf(action, check.message),
      perDay: RELAY_ALLOWANCES[action] * RATE_LIMIT_MULTIPLIER,
    },
  }
}

const bodyError = ({ code, path }: { code: 'invalid_field' | 'bad_signature'; path: string }): ApiError =>
  code === 'invalid_field'
    ? invalidField(path, 'differs from the payload that this hub asks to sign, or is inconsistent')
    : new ApiError('bad_signature', `${path} is not a signature of the account over this typed data.`, {
        status: 422,
        details: { path },
      })
