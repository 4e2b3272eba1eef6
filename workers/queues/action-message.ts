import * as z from 'zod'
import { Bytes32 } from '../http/formats.ts'

/** A message of the queue `actions`: an action that the relayer has accepted, and is to submit. */
export const ActionMessage = z.strictObject({ v: z.literal(1), id: Bytes32 })
export type ActionMessage = z.output<typeof ActionMessage>
