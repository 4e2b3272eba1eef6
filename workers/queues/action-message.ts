import * as z from 'zod'
import { Bytes32 } from '../http/formats.ts'

/** A message of the queue `actions`: an action that the relayer has accepted, and is to submit. */
export const ActionMessage = z.strictObject({ v: z.literal(1), id: Bytes32 })
export type ActionMessage = z.output<typeof ActionMessage>

/**
 * A message of the same queue: a run of the schedule has left actions of the hub that are due. The next ones go on with them until a time of
 * the machine, when the schedule runs again.
 */
export const DueActionsMessage = z.strictObject({ v: z.literal(1), due_until: z.int() })
export type DueActionsMessage = z.output<typeof DueActionsMessage>
