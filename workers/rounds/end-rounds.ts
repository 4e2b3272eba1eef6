import type { EndedRound } from '../../durable-objects/round/types.ts'
import type { Env, Settings } from '../env.ts'
import { roundMessage } from '../queues/round-message.ts'
import { services } from '../services.ts'
import type { WrittenRound } from '../stores/rounds.ts'
import { partsOf } from '../stores/statements.ts'
import { spreadVotes } from '../validators/spread-votes.ts'
import { validatorSources } from './round-config.ts'

/** The platform charges a message for each 64 KB, and takes twice as much. */
const messageBytesMax = 60_000

/** Has lists show rounds of a project that have their records, and tells their validators each other's votes. Both may be done twice. */
export async function endRounds(
  env: Env,
  settings: Settings,
  projectId: string,
  ended: readonly EndedRound[],
): Promise<void> {
  const rows = ended.map(({ row }) => row as WrittenRound)
  const parts = partsOf(rows, (row) => Buffer.byteLength(JSON.stringify(row)), messageBytesMax)
  await Promise.all([
    spreadVotes(validatorSources(services(env), settings), projectId, ended),
    ...parts.map((part) => env.ROUND_ROWS.send(roundMessage(part))),
  ])
}
