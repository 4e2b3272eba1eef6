import * as z from 'zod'
import { type Action, actionNames, buildGaslessPayload } from '../../protocol/actions/index.ts'
import { patterns } from '../../protocol/encoding/index.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { example } from '../examples.ts'
import { Address, HexBytes, Timestamp } from '../http/formats.ts'
import type { JsonBody, RouteResponse } from '../route.ts'
import { Transaction, transactionExample } from '../routes/network/schema.ts'

const TypedData = z
  .strictObject({
    domain: z.record(z.string(), z.unknown()),
    types: z.record(z.string(), z.unknown()),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TypedData', description: 'What `eth_signTypedData_v4` takes.' })

export const Signature = z
  .string()
  .regex(patterns.evmSignature, 'must be a signature: 0x and 130 lower-case hex digits')
  .meta({ id: 'EvmSignature', description: '65 bytes `r ‖ s ‖ v`.' })

export const DirectTransaction = z
  .strictObject({
    chain_id: z.int(),
    to: Address,
    data: HexBytes,
    value: z.string(),
    description: z.string(),
  })
  .meta({ id: 'DirectTransaction', description: 'The same action as a transaction of the owner itself.' })

export const GaslessPayload = z
  .strictObject({
    action: z.enum(actionNames),
    typed_data: TypedData,
    permit: TypedData.optional().meta({ description: 'Beside a bond: to be signed as well.' }),
    direct_tx: DirectTransaction.optional(),
    expires_at: Timestamp,
  })
  .meta({ id: 'GaslessPayload', description: 'What the owner signs and posts back.' })

/** For the OpenAPI document: what is posted is checked member by member against what the hub itself builds. */
const SignedGaslessBody = z
  .strictObject({
    typed_data: TypedData,
    signature: Signature,
    permit: TypedData.nullish(),
    permit_signature: Signature.nullish(),
  })
  .meta({ id: 'SignedGaslessBody', description: 'A payload with the signature of its owner.' })

const exampleSignature = `0x${'1f'.repeat(64)}1b`

/** A payload of the action, for examples. */
export const payloadExample = (action: Action, message: TypedMessage) =>
  buildGaslessPayload(
    resolveProfile({ service: '{{service}}', prefix: '{{prefix}}', permit_name: '{{permit_name}}' }),
    example.contracts,
    { action, message, nonce: 0n, now: example.time },
  )

type Example = ReturnType<typeof payloadExample>

/** The body of a route that takes a signed action only. */
export const signedBody = ({ typed_data, permit }: Example): JsonBody & { deferred: 'required' } => ({
  schema: SignedGaslessBody,
  example: {
    typed_data,
    signature: exampleSignature,
    ...(permit && { permit, permit_signature: exampleSignature }),
  },
  deferred: 'required',
})

/** The body of a route in two steps: nothing or `request` in the first, the signed action in the second. */
export const twoStepBody = (payload: Example, request?: z.ZodType): JsonBody & { deferred: 'optional' } => ({
  ...signedBody(payload),
  deferred: 'optional',
  ...(request && { schema: z.union([request, SignedGaslessBody]) }),
})

export const payloadResponse = (payload: Example): RouteResponse => ({
  description: 'What the owner signs and posts back.',
  schema: GaslessPayload,
  example: payload,
})

export const relayedResponse = (action: Action): RouteResponse => ({
  description: 'The signed action is on its way to the chain.',
  schema: Transaction,
  example: { ...transactionExample, action, status: 'sent', confirmations: 0 },
  headers: { Location: 'Where to follow it.' },
})

/** The answers of a route in two steps. */
export const twoStepResponses = (payload: Example): Record<number, RouteResponse> => ({
  200: payloadResponse(payload),
  202: relayedResponse(payload.action),
})
