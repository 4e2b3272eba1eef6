import * as z from 'zod'
import { type Action, actionNames, buildGaslessPayload } from '../../protocol/actions/index.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { example } from '../examples.ts'
import { Address, Amount, HexBytes, Signature, Timestamp } from '../http/formats.ts'
import { effectsOf } from './effects.ts'

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

const Preview = z
  .strictObject({
    ok: z
      .boolean()
      .nullable()
      .describe(
        'Whether the contract accepts the action now: the hub tries it as a call of the owner, on top of the newest block. Null if the chain does not say within 2 seconds, which says nothing about the action.',
      ),
    reason: z.string().nullable().describe('Why it is refused, or not known; null if it is accepted.'),
    effects: z
      .array(z.string())
      .describe(
        'The effects of the action, in sentences; written from the typed data and the state of the chain.',
      ),
    cost_wei: Amount.nullable().describe(
      'The approximate cost of the transaction for the hub: estimated gas × gas price. Null if the action would be refused, or the cost is not known.',
    ),
  })
  .meta({ id: 'ActionPreview', description: 'The effects that the action has if it is relayed now.' })

/** Of calls that answer with a payload. */
export const previewQuery = {
  preview: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description: 'Whether the payload carries a preview.',
      schema: { type: 'boolean', default: true },
    }),
}

export const GaslessPayload = z
  .strictObject({
    action: z.enum(actionNames),
    typed_data: TypedData,
    permit: TypedData.optional().describe('The permit for what is bonded, to be signed as well.'),
    direct_tx: DirectTransaction.optional(),
    expires_at: Timestamp,
    preview: Preview.nullable().describe('Null with `?preview=false`.'),
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

const exampleProfile = resolveProfile({
  service: '{{service}}',
  prefix: '{{prefix}}',
  permit_name: '{{permit_name}}',
  token_symbol: '{{token_symbol}}',
})

export const payloadExample = (action: Action, message: TypedMessage) => ({
  ...buildGaslessPayload(exampleProfile, example.contracts, {
    action,
    message,
    nonce: 0n,
    now: example.time,
  }),
  preview: {
    ok: true,
    reason: null,
    effects: effectsOf(action, message, {
      token: { symbol: exampleProfile.token_symbol, decimals: 18 },
      contracts: example.contracts,
      collateral: null,
    }),
    cost_wei: '61000000000000',
  },
})

export type PayloadExample = ReturnType<typeof payloadExample>

const exampleSignature = `0x${'1f'.repeat(64)}1b`

export const signedExample = ({ typed_data, permit }: PayloadExample) => ({
  typed_data,
  signature: exampleSignature,
  ...(permit && { permit, permit_signature: exampleSignature }),
})
