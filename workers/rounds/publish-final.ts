import type { SQL } from 'drizzle-orm'
import type { Round } from '../../durable-objects/round/round.ts'
import { roundEnd } from '../settlement/round-end.ts'
import { roundEffects } from '../stores/round-effects.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import { roundFile } from './published.ts'

/**
 * What else is written when a round is over, in the batch that publishes it. Each statement is guarded by `isRoundOpen`, so
 * that it takes effect once, however often the round is published.
 */
export function publishFinal(round: Round, published: PublishedRound): SQL[] {
  if (round.outcome === null) return []
  return roundEffects(roundEnd(published, roundFile(round), round.outcome.at))
}
