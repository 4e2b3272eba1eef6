import * as z from 'zod'
import { Bytes32 } from '../http/formats.ts'

/** A message of the queue `relay`: an action that the relayer has accepted, and is to submit. */
export const RelayMessage = z.strictObject({ v: z.literal(1), id: Bytes32 })
export type RelayMessage = z.output<typeof RelayMessage>
