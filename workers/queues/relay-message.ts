import * as z from 'zod'
import { Address, Bytes32 } from '../http/formats.ts'

/** An action that the relayer has admitted, and is to carry now. */
const AdmittedAction = z.strictObject({ v: z.literal(1), id: Bytes32 })

/** An action the hub itself wants on the chain, with nobody waiting for the answer. */
const OwnAction = z.strictObject({
  v: z.literal(1),
  id: Bytes32,
  action: z.string().min(1),
  owner: Address,
  lane: z.string().nullable(),
  to: Address,
  data: z.string().regex(/^0x([0-9a-f]{2})*$/),
  valueWei: z.string().regex(/^(0|[1-9]\d{0,77})$/),
})
export type OwnAction = z.output<typeof OwnAction>

export const RelayMessage = z.union([AdmittedAction, OwnAction])
export type RelayMessage = z.output<typeof RelayMessage>
