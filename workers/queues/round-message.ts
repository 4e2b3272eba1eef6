import * as z from 'zod'
import type { WrittenRound } from '../stores/rounds.ts'

/** A message of the queue `round-rows`: a round as the database is to have it. One that is over names its record, from which the same follows. */
export type RoundMessage = { v: 1 } & WrittenRound

/** Round objects alone send these, so only what tells their form is checked. */
const Form = z.looseObject({ v: z.literal(1), round: z.looseObject({ roundId: z.string() }) })
const Message = z.custom<RoundMessage>((body) => Form.safeParse(body).success)

/** Null for what the hub cannot read. */
export const readRoundMessage = (body: unknown): RoundMessage | null => Message.safeParse(body).data ?? null
