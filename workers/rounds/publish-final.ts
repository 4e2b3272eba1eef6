import { isUnpaid, type Outcome, type Round } from '../../durable-objects/round/round.ts'
import { roundEffects } from '../stores/round-effects.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import type { PublishedRound, RoundStore } from '../stores/rounds.ts'
import { roundFile } from './published.ts'
import { roundEnd } from './round-end.ts'

/**
 * Publishes a round that is over: its file, then its rows with what follows from its end, in one batch, whose statements are guarded by
 * `isRoundOpen`: they take effect once.
 */
export async function publishFinal(
  { rounds, roundFiles }: { rounds: RoundStore; roundFiles: RoundFiles },
  round: Round & { outcome: Outcome },
  published: PublishedRound,
): Promise<{ status: 'written' | 'over'; provesOffences: boolean }> {
  const file = roundFile(round)
  // A row never says that a round is over while its file is not there.
  await roundFiles.putRound(file)
  const end = roundEnd(published, file, round.outcome.at, isUnpaid(round))
  const status = await rounds.publish(published, roundEffects(end))
  return { status, provesOffences: end.provesOffences }
}
