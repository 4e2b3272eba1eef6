import * as z from 'zod'
import { Address, Amount, Bytes32, HexBytes } from '../http/formats.ts'

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
  data: HexBytes,
  valueWei: Amount,
})
export type HubAction = z.output<typeof HubAction>

export const RelayMessage = z.union([AcceptedAction, HubAction])
export type RelayMessage = z.output<typeof RelayMessage>
