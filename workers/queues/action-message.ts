import * as z from 'zod'
import { Address, Amount, Bytes32, HexBytes } from '../http/formats.ts'

/** An action that the relayer has accepted, and is to submit. */
const AcceptedAction = z.strictObject({ v: z.literal(1), id: Bytes32 })

const wholeAction = {
  id: Bytes32,
  action: z.string().min(1),
  owner: Address,
  to: Address,
  data: HexBytes,
  valueWei: Amount,
}

/** A whole action of the hub's own. Nothing sends such messages; after an upgrade some may be on their way. */
const HubActionMessage = z
  .union([
    z.strictObject({ v: z.literal(2), ...wholeAction, serializationKey: z.string().nullable() }),
    // The same value under another name.
    z
      .strictObject({ v: z.literal(1), ...wholeAction, lane: z.string().nullable() })
      .transform(({ lane, ...action }) => ({ ...action, serializationKey: lane })),
  ])
  .transform(({ v: _, ...action }) => action)
export type HubActionMessage = z.output<typeof HubActionMessage>

export const ActionMessage = z.union([AcceptedAction, HubActionMessage])
/** What the hub sends. */
export type ActionMessage = z.output<typeof AcceptedAction>
