import type { Env } from '../env.ts'
import { writeAll } from '../rounds/write-rounds.ts'
import { services } from '../services.ts'
import type { WrittenRound } from '../stores/rounds.ts'
import { readRoundMessage, roundsOf } from './round-message.ts'

interface Received {
  message: Message<unknown>
  rounds: readonly WrittenRound[]
}

/** Writes rounds for lists and figures, a batch in one transaction. Messages may come twice and in any order: what is over stays as it is. */
export async function consumeRoundRows(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const received: Received[] = []
  for (const message of batch.messages) {
    const read = readRoundMessage(message.body)
    // A message that the hub cannot read dies at its last attempt, where operators see it.
    if (read === null) retry(message)
    else received.push({ message, rounds: roundsOf(read) })
  }
  const { ended, failed } = await writeAll(
    services(env).writeRounds,
    received.flatMap(({ rounds }) => rounds),
  )
  const isFailed = new Set(failed)
  for (const { message, rounds } of received)
    rounds.some((round) => isFailed.has(round)) ? retry(message) : message.ack()
  const proving = received.flatMap(({ rounds }) =>
    rounds.flatMap(({ end }) => (end?.provesOffences ? end.round.roundId : [])),
  )
  await recordOffences(
    env,
    ended.filter((id) => proving.includes(id)),
  )
}

/** Each takes a dozen trips; the schedule records the others, and what fails now. */
const recordedMax = 10

async function recordOffences(env: Env, proving: readonly string[]): Promise<void> {
  const roundIds = proving.slice(0, recordedMax)
  if (roundIds.length === 0) return
  const { recordRoundOffences } = await import('../slashing/round-offences.ts')
  for (const roundId of roundIds)
    await recordRoundOffences(env, roundId).catch((error) =>
      console.error(`offences of the round ${roundId} could not be recorded`, error),
    )
}

const retry = (message: Message<unknown>): void =>
  message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })
