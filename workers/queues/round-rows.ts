import type { Env } from '../env.ts'
import { services } from '../services.ts'
import type { WrittenRound } from '../stores/rounds.ts'
import { readRoundMessage } from './round-message.ts'

interface Received {
  message: Message<unknown>
  round: WrittenRound
}

/** Writes rounds for lists and figures, a batch in one transaction. Messages may come twice and in any order: what is over stays as it is. */
export async function consumeRoundRows(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const received: Received[] = []
  for (const message of batch.messages) {
    const round = readRoundMessage(message.body)
    // A message that the hub cannot read dies at its last attempt, where operators see it.
    if (round === null) retry(message)
    else received.push({ message, round })
  }
  for (const part of partsOf(received)) await recordOffences(env, await write(part, env))
}

/** The database takes two megabytes in one value, and a character may be three bytes. */
const partLengthMax = 500_000

function partsOf(received: readonly Received[]): Received[][] {
  const parts: Received[][] = []
  let length = 0
  for (const one of received) {
    const own = JSON.stringify(one.round).length
    if (parts.length === 0 || length + own > partLengthMax) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(one)
    length += own
  }
  return parts
}

/**
 * What cannot be written together is tried in halves, so that a round that cannot be written keeps no other waiting. @returns The rounds that
 * this ended and that prove offences.
 */
async function write(part: readonly Received[], env: Env): Promise<string[]> {
  try {
    const ended = await services(env).writeRounds(eachOnce(part))
    if (ended === null) return retryAll(part)
    for (const { message } of part) message.ack()
    const proving = part.filter(({ round: { end } }) => end?.provesOffences)
    return [...new Set(proving.map(({ round }) => round.round.roundId))].filter((id) => ended.includes(id))
  } catch (error) {
    console.error(`${part.length} rounds could not be written`, error)
    const half = part.length >> 1
    if (half === 0) return retryAll(part)
    return [...(await write(part.slice(0, half), env)), ...(await write(part.slice(half), env))]
  }
}

/** Each end once: what follows from it is added up. */
function eachOnce(part: readonly Received[]): WrittenRound[] {
  const ended = new Set<string>()
  const isFirst = ({ round: { roundId }, end }: WrittenRound) =>
    end === null || (!ended.has(roundId) && ended.add(roundId))
  return part.map(({ round }) => round).filter(isFirst)
}

/** What fails now is tried again by the schedule. */
async function recordOffences(env: Env, roundIds: readonly string[]): Promise<void> {
  if (roundIds.length === 0) return
  const { recordRoundOffences } = await import('../slashing/round-offences.ts')
  for (const roundId of roundIds)
    await recordRoundOffences(env, roundId).catch((error) =>
      console.error(`offences of the round ${roundId} could not be recorded`, error),
    )
}

function retryAll(part: readonly Received[]): [] {
  for (const { message } of part) retry(message)
  return []
}

const retry = (message: Message<unknown>): void =>
  message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })
