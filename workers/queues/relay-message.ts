import * as z from 'zod'
import { Address, Amount, Bytes32, HexBytes } from '../http/formats.ts'

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
  data: HexBytes,
  valueWei: Amount,
})
export type OwnAction = z.output<typeof OwnAction>

export const RelayMessage = z.union([AdmittedAction, OwnAction])
export type RelayMessage = z.output<typeof RelayMessage>
