import * as z from 'zod'
import { bondBatchMax } from '../../../protocol/actions/index.ts'
import { isAmount, isBytes32, isObject, type JsonValue } from '../../../protocol/encoding/index.ts'
import { deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import type { RequestedAction } from '../../actions/action-calls.ts'
import { defineGaslessRoute } from '../../actions/gasless-route.ts'
import { payloadExample } from '../../actions/gasless-schema.ts'
import { type GaslessBody, prepareOrSubmit } from '../../actions/gasless-steps.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { Bytes32 } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { NewSubscriptionStore } from '../../stores/new-subscriptions.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { requireCall } from './access.ts'
import { BondRequest } from './bond.ts'

type Item = Pick<Subscription, 'projectId' | 'nodeKey'> & { amount: string }

/** One signature for the bonds of several subscriptions: all of them, or none. */
export const batchAction = (owner: string, items: readonly Item[]): RequestedAction => ({
  action: 'bond_batch',
  account: owner,
  message: { owner, ...listsOf(items) },
})

function listsOf(items: readonly Item[]) {
  const sum = items.reduce((all, { amount }) => all + BigInt(amount), 0n)
  if (!isAmount(String(sum))) throw invalidField('items', 'must have amounts with a sum below 2^256')
  return {
    projectIds: items.map(({ projectId }) => projectId),
    nodeKeys: items.map(({ nodeKey }) => nodeKey),
    amounts: items.map(({ amount }) => amount),
  }
}

export const bondBatchExample = payloadExample(
  'bond_batch',
  batchAction(example.wallet, [
    { projectId: example.manifestAddress, nodeKey: example.digest, amount: '6000000000000000000' },
  ]).message,
)

const BondBatchRequest = z
  .strictObject({
    items: z
      .array(z.strictObject({ subscription_id: Bytes32, ...BondRequest.shape }).meta({ id: 'BondBatchItem' }))
      .min(1, 'must have at least one item')
      .max(bondBatchMax, `must have at most ${bondBatchMax} items`)
      .refine(
        (items) => new Set(items.map((item) => item.subscription_id)).size === items.length,
        'must name each subscription once',
      ),
  })
  .meta({ id: 'BondBatchRequest' })

type Request = z.output<typeof BondBatchRequest>

export const bondBatch = defineGaslessRoute(
  {
    path: '/v1/subscriptions/batch/bond',
    operationId: 'bondBatch',
    tag: 'Subscriptions',
    summary: 'Bond collateral of several subscriptions by one signature',
    description: `Takes ${bondBatchMax} items at most, for the first bond or a top-up. The contract bonds all of them or none. The permit is for the sum. \`POST /v1/subscriptions/batch\` answers with the payload for what it began.`,
    params: z.strictObject({}),
    steps: prepareOrSubmit(bondBatchExample, BondBatchRequest),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict', 'insufficient_collateral'],
  },
  async (c, { body }) => {
    const owner = sessionOf(c).address
    const ids = namedIds(owner, body)
    const [known, now] = await Promise.all([
      c.var.services.store(NewSubscriptionStore).findAll(ids),
      c.var.services.clock.now(),
    ])
    const subscriptions = ids.map((id) => known.get(id) ?? unknownSubscription(id))
    return {
      action: 'bond_batch',
      account: owner,
      message: { owner },
      requireState: () => {
        for (const one of subscriptions) requireCall(c, one, 'bond', now)
      },
      requested: ({ items }: Request) =>
        listsOf(items.map(({ amount }, i) => ({ ...(subscriptions[i] as Subscription), amount }))),
    }
  },
)

/** The subscriptions that a body names. A signed body names projects and node keys; whether it is well formed is checked later. */
function namedIds(owner: string, body: GaslessBody<Request>): string[] {
  if (body.step === 'prepare') return body.request.items.map((item) => item.subscription_id)
  if (body.step === 'rejected') return []
  const { projectIds, nodeKeys } = messageOf(body.signed)
  if (!isList(projectIds) || !isList(nodeKeys) || projectIds.length !== nodeKeys.length) return []
  return projectIds.map((projectId, i) => deriveSubscriptionId(projectId, owner, nodeKeys[i] ?? ''))
}

function messageOf(signed: JsonValue): { [member: string]: JsonValue } {
  const typedData = isObject(signed) ? signed.typed_data : null
  const message = isObject(typedData) ? typedData.message : null
  return isObject(message) ? (message as { [member: string]: JsonValue }) : {}
}

const isList = (value: JsonValue | undefined): value is string[] =>
  Array.isArray(value) && value.length <= bondBatchMax && value.every(isBytes32)

function unknownSubscription(id: string): never {
  throw new ApiError('not_found', `The subscription ${id} does not exist.`)
}
