import * as z from 'zod'
import { Address, Bytes32 } from '../http/formats.ts'

/** An action the hub itself wants on the chain, with nobody waiting for the answer. */
export const RelayMessage = z.strictObject({
  v: z.literal(1),
  id: Bytes32,
  action: z.string().min(1),
  owner: Address,
  lane: z.string().nullable(),
  to: Address,
  data: z.string().regex(/^0x([0-9a-f]{2})*$/),
  valueWei: z.string().regex(/^(0|[1-9]\d{0,77})$/),
})
export type RelayMessage = z.output<typeof RelayMessage>
