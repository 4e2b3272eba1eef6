import * as z from 'zod'
import type { WrittenRound } from '../stores/rounds.ts'

/**
 * A message of the queue `round-rows`: rounds as the database is to have them. A round that is over names its record, from
 * which the same follows. A build of the hub that knows only form 1, with one round, leaves messages with several to a later
 * build.
 */
export type RoundMessage = OneRound | { v: 2; rounds: readonly WrittenRound[] }
export type OneRound = { v: 1 } & WrittenRound

/** Objects alone send these, so only what tells their form is checked. */
const Round = z.looseObject({ round: z.looseObject({ roundId: z.string() }) })
const Form = z.union([
  z.looseObject({ ...Round.shape, v: z.literal(1) }),
  z.looseObject({ v: z.literal(2), rounds: z.array(Round) }),
])
const Message = z.custom<RoundMessage>((body) => Form.safeParse(body).success)

export const roundMessage = (rounds: readonly WrittenRound[]): RoundMessage => {
  const [first, ...others] = rounds
  return first === undefined || others.length > 0 ? { v: 2, rounds } : { v: 1, ...first }
}

/** Null for what the hub cannot read. */
export const readRoundMessage = (body: unknown): RoundMessage | null => Message.safeParse(body).data ?? null

export const roundsOf = (message: RoundMessage): readonly WrittenRound[] =>
  message.v === 1 ? [message] : message.rounds
