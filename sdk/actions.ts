import {
  type Action,
  actions,
  buildTypedData,
  checkTypedData,
  domainOf,
  type PrimaryType,
} from '../protocol/actions/index.ts'
import type { TypedMessage } from '../protocol/signatures/index.ts'
import { type Client, withDeadline } from './client.ts'
import { ActionFailed, HubError, RefusedToSign } from './errors.ts'
import type { Network } from './network.ts'
import type { CallOptions, Schemas } from './operations.ts'
import { sleep } from './retries.ts'
import { addressOf, type SignableData, type Wallet } from './wallets.ts'

export type SignedBody = Schemas['SignedGaslessBody']
export type Transaction = Schemas['Transaction']

/** What a hub says that an action would do, before it is signed. */
export interface Preview {
  readonly ok: boolean
  readonly reason?: string | null
  readonly effects?: unknown
  readonly cost_wei?: string | null
}

export type Payload = Pick<Schemas['GaslessPayload'], 'typed_data' | 'permit'> & {
  readonly preview?: Preview | null
}

export interface ActionOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Shown what the hub prepared, before anything is signed. `false` ends the action. */
  readonly confirm?: (payload: Payload) => boolean | Promise<boolean>
}

/** An action that the chain has. */
export type DoneAction = Transaction & { readonly preview: Preview | null }

type Caller = Pick<Client, 'call'>

/** What an owner wants, and how the hub is told. */
export interface Plan {
  readonly action: Action
  /** The members of the message that the owner knows: the payload is compared with them. */
  readonly wanted: TypedMessage
  readonly prepare: (call: Pick<CallOptions, 'signal'>) => Promise<unknown>
  readonly relay: (
    signed: { body: SignedBody; repeatable: true } & Pick<CallOptions, 'signal'>,
  ) => Promise<unknown>
}

const timeoutMs = 120_000
const pollMs = 250

/**
 * Has an owner's action done: prepares it, compares what came with what is wanted, signs, relays, and waits until the chain
 * has it.
 *
 * @param client may read transactions.
 * @throws {@link RefusedToSign} when the payload says something else, or the hub foresees that it fails; {@link ActionFailed}
 */
export async function act(
  client: Caller,
  network: Network,
  wallet: Wallet,
  plan: Plan,
  { signal: given, timeout = timeoutMs, confirm }: ActionOptions = {},
): Promise<DoneAction> {
  return withDeadline(plan.action, timeout, given, async (signal) => {
    const payload = (await plan.prepare({ signal })) as Payload
    if (!('typed_data' in payload))
      throw new HubError(`The hub returns no payload to sign for ${plan.action}.`)
    if (payload.preview?.ok === false)
      throw new RefusedToSign(
        `${plan.action} would fail: ${payload.preview.reason ?? 'the hub gives no reason'}.`,
      )
    if (confirm && !(await confirm(payload))) throw new RefusedToSign(`${plan.action} was not confirmed.`)
    const body = await sign(client, network, wallet, plan, payload, signal)
    // The signed message is the identity of the action, so a second try finds the first.
    const relayed = (await plan.relay({ body, repeatable: true, signal })) as Transaction
    return { ...(await mined(client, relayed, signal)), preview: payload.preview ?? null }
  })
}

async function sign(
  client: Caller,
  network: Network,
  wallet: Wallet,
  { action, wanted }: Plan,
  { typed_data, permit }: Payload,
  signal: AbortSignal,
): Promise<SignedBody> {
  const { contracts, profile } = network
  if (contracts === null) throw new HubError('This network has no contracts.')
  const { time: now } = await client.call('GET /v1/status', { signal })
  const signed = async (primaryType: PrimaryType, data: unknown, message: TypedMessage) => {
    const expected = { primaryType, domain: domainOf(profile, contracts, primaryType), message }
    const check = checkTypedData(data, expected, now)
    if (!check.ok)
      throw new RefusedToSign(`The wallet refuses to sign this: ${check.path} differs from the request.`)
    const own = buildTypedData(expected.domain, primaryType, check.message)
    const signature = await wallet.signTypedData(own as unknown as SignableData)
    return [own as unknown as SignedBody['typed_data'], signature] as const
  }
  const [own, signature] = await signed(actions[action], typed_data, wanted)
  const body = { typed_data: own, signature: signature.toLowerCase() }
  if (!permit) return body
  const allowance = { owner: addressOf(wallet), spender: contracts.staking, value: wanted.amount ?? '' }
  const [ownPermit, permitSignature] = await signed('Permit', permit, allowance)
  return { ...body, permit: ownPermit, permit_signature: permitSignature.toLowerCase() }
}

async function mined(client: Caller, first: Transaction, signal: AbortSignal): Promise<Transaction> {
  for (let transaction = first; ; ) {
    if (transaction.status === 'confirmed') return transaction
    if (transaction.status === 'reverted' || transaction.status === 'failed')
      throw new ActionFailed(transaction)
    await sleep(pollMs, signal)
    transaction = await client.call('GET /v1/transactions/{id}', { path: { id: first.id }, signal })
  }
}
