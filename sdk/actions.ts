import {
  type Action,
  actions,
  buildTypedData,
  checkTypedData,
  domainOf,
  type PrimaryType,
  permittedAmount,
} from '../protocol/actions/index.ts'
import type { TypedMessage } from '../protocol/signatures/index.ts'
import { type Client, noting } from './client.ts'
import { withDeadline } from './deadline.ts'
import { ActionFailed, type Begun, HubError, RefusedToSign } from './errors.ts'
import type { Network } from './network.ts'
import type { CallOptions, Schemas } from './operations.ts'
import { actionTimeoutMs, sleep } from './retries.ts'
import { addressOf, isLocalChain, type SignableData, type Wallet } from './wallets.ts'

export type SignedBody = Schemas['SignedGaslessBody']
export type Transaction = Schemas['Transaction']

/** The hub's prediction of an action's result, before it is signed. Its `ok` is null if the hub cannot tell. */
export type Preview = Schemas['ActionPreview']

export type Payload = Pick<Schemas['GaslessPayload'], 'typed_data' | 'permit' | 'preview'>

export interface ActionOptions extends Pick<CallOptions, 'signal'> {
  /** From the preparation to the confirmation by the chain; milliseconds. Default: 10 minutes. */
  readonly timeout?: number | undefined
  /** Shown what the hub prepared, before anything is signed. `false` ends the action. */
  readonly confirm?: (payload: Payload) => boolean | Promise<boolean>
  /** Told as soon as the hub relays it, which it goes on with also when nobody waits any more. */
  readonly onTransaction?: (transaction: Transaction) => void
}

/** An action that the chain has. */
export type DoneAction = Transaction & { readonly preview: Preview | null }

type Caller = Pick<Client, 'call'>

/** The action that an owner wants, and the calls that prepare and relay it. */
export interface Plan {
  readonly action: Action
  /** The members of the message that the owner knows: the payload is compared with them. */
  readonly wanted: TypedMessage
  readonly prepare: (call: Pick<CallOptions, 'signal'>) => Promise<unknown>
  readonly relay: (
    signed: { body: SignedBody; repeatable: true } & Pick<CallOptions, 'signal'>,
  ) => Promise<unknown>
}

/** The first pause between two looks at an action; later ones are longer, up to the second. */
const pollMs = 250
const pollMsMax = 2_000

/**
 * Has an owner's action done: prepares it, compares the payload with the plan, shows it, signs, relays, and waits until
 * the chain has it.
 *
 * @param client may read transactions.
 * @throws {@link RefusedToSign} when the payload says something else, or the hub foresees that it fails; {@link ActionFailed}
 */
export function act(
  client: Caller,
  network: Network,
  wallet: Wallet,
  plan: Plan,
  { signal: given, timeout = actionTimeoutMs, confirm, onTransaction }: ActionOptions = {},
): Promise<DoneAction> {
  const begun: Begun = {}
  const done = withDeadline(plan.action, timeout, given, async (signal) => {
    const payload = (await plan.prepare({ signal })) as Payload
    if (!('typed_data' in payload))
      throw new HubError(`The hub returns no payload to sign for ${plan.action}.`)
    const { ok, reason } = payload.preview ?? { ok: null, reason: null }
    if (ok === false)
      throw new RefusedToSign(
        `${plan.action} would fail: ${reason?.replace(/\.$/, '') ?? 'the hub gives no reason'}.`,
      )
    // The time of the hub would let it choose how long a signature is good.
    const isLocal = isLocalChain(network.profile.chain_id)
    const now = isLocal
      ? (await client.call('GET /v1/status', { signal })).time
      : Math.floor(Date.now() / 1000)
    const checked = check(network, wallet, plan, payload, now)
    if (confirm && !(await confirm(payload))) throw new RefusedToSign(`${plan.action} was not confirmed.`)
    const body = await sign(wallet, checked, signal)
    // The signed message is the identity of the action, so a second try finds the first.
    const relayed = (await plan.relay({ body, repeatable: true, signal })) as Transaction
    begun.transactionId = relayed.id
    onTransaction?.(relayed)
    return { ...(await mined(client, relayed, signal)), preview: payload.preview ?? null }
  })
  return noting(begun, done)
}

type TypedData = SignedBody['typed_data']
interface Checked {
  readonly typedData: TypedData
  readonly permit: TypedData | null
}

/** Compares a payload with the plan. @returns Own copies, to be signed. */
function check(
  { contracts, profile }: Network,
  wallet: Wallet,
  { action, wanted }: Plan,
  { typed_data, permit }: Payload,
  now: number,
): Checked {
  if (contracts === null) throw new HubError('This network has no contracts.')
  const own = (primaryType: PrimaryType, data: unknown, message: TypedMessage) => {
    const expected = { primaryType, domain: domainOf(profile, contracts, primaryType), message }
    const result = checkTypedData(data, expected, now)
    if (!result.ok)
      throw new RefusedToSign(`The wallet refuses to sign this: ${result.path} differs from the request.`)
    return buildTypedData(expected.domain, primaryType, result.message) as unknown as TypedData
  }
  const value = permittedAmount(actions[action], wanted) ?? ''
  const allowance = { owner: addressOf(wallet), spender: contracts.staking, value }
  return {
    typedData: own(actions[action], typed_data, wanted),
    permit: permit ? own('Permit', permit, allowance) : null,
  }
}

async function sign(
  wallet: Wallet,
  { typedData, permit }: Checked,
  signal: AbortSignal,
): Promise<SignedBody> {
  const signatureOf = async (data: TypedData) => {
    // Nobody waits for a signature that the wallet is asked for or gives too late.
    signal.throwIfAborted()
    return (await wallet.signTypedData(data as unknown as SignableData)).toLowerCase()
  }
  const body = { typed_data: typedData, signature: await signatureOf(typedData) }
  if (permit === null) return body
  return { ...body, permit, permit_signature: await signatureOf(permit) }
}

async function mined(client: Caller, first: Transaction, signal: AbortSignal): Promise<Transaction> {
  let pauseMs = pollMs
  for (let transaction = first; ; ) {
    if (transaction.status === 'confirmed') return transaction
    if (transaction.status === 'reverted' || transaction.status === 'failed')
      throw new ActionFailed(transaction)
    await sleep(pauseMs, signal)
    pauseMs = Math.min(pollMsMax, pauseMs * 1.1)
    transaction = await client.call('GET /v1/transactions/{id}', { path: { id: first.id }, signal })
  }
}
