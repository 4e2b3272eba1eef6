import * as z from 'zod'
import { type Action, actionNames, buildGaslessPayload } from '../../protocol/actions/index.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { example } from '../examples.ts'
import { Address, HexBytes, Signature, Timestamp } from '../http/formats.ts'

const TypedData = z
  .strictObject({
    domain: z.record(z.string(), z.unknown()),
    types: z.record(z.string(), z.unknown()),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TypedData', description: 'The argument of `eth_signTypedData_v4`.' })

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
    permit: TypedData.optional().describe('The permit for a bond, to be signed as well.'),
    direct_tx: DirectTransaction.optional(),
    expires_at: Timestamp,
  })
  .meta({ id: 'GaslessPayload', description: 'The action that the owner signs and sends back.' })

/** For the OpenAPI document: what is posted is checked member by member against what the hub itself builds. */
export const SignedGaslessBody = z
  .strictObject({
    typed_data: TypedData,
    signature: Signature,
    permit: TypedData.nullish(),
    permit_signature: Signature.nullish(),
  })
  .meta({ id: 'SignedGaslessBody', description: 'A payload with the signature of its owner.' })

export const payloadExample = (action: Action, message: TypedMessage) =>
  buildGaslessPayload(
    resolveProfile({ service: '{{service}}', prefix: '{{prefix}}', permit_name: '{{permit_name}}' }),
    example.contracts,
    { action, message, nonce: 0n, now: example.time },
  )

export type PayloadExample = ReturnType<typeof payloadExample>

const exampleSignature = `0x${'1f'.repeat(64)}1b`

export const signedExample = ({ typed_data, permit }: PayloadExample) => ({
  typed_data,
  signature: exampleSignature,
  ...(permit && { permit, permit_signature: exampleSignature }),
})
