import type { SQL } from 'drizzle-orm'
import type { Round } from '../../durable-objects/round/round.ts'
import type { PublishedRound } from '../stores/rounds.ts'

/**
 * What else is written when a round is over, in the batch that publishes it. Each statement is guarded by `isRoundOpen`, so
 * that it takes effect once, however often the round is published.
 */
export function publishFinal(_round: Round, _published: PublishedRound): SQL[] {
  return []
}
