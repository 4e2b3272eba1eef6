import * as z from 'zod'
import { Address, Bytes32 } from '../http/formats.ts'

/** An action that the relayer has accepted, and is to submit. */
const AcceptedAction = z.strictObject({ v: z.literal(1), id: Bytes32 })

/** An action the hub itself wants on the chain, with nobody waiting for the answer. */
const HubAction = z.strictObject({
  v: z.literal(2),
  id: Bytes32,
  action: z.string().min(1),
  owner: Address,
  serializationKey: z.string().nullable(),
  to: Address,
  data: z.string().regex(/^0x([0-9a-f]{2})*$/),
  valueWei: z.string().regex(/^(0|[1-9]\d{0,77})$/),
})
export type HubAction = z.output<typeof HubAction>

export const RelayMessage = z.union([AcceptedAction, HubAction])
export type RelayMessage = z.output<typeof RelayMessage>
