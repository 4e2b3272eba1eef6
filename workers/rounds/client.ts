import type { DirectOutcome, DirectRequest } from '../../durable-objects/round/direct.ts'
import type { Awaited } from '../../durable-objects/round.ts'
import type { Env } from '../env.ts'

export interface RoundsClient {
  /** Waits until everybody can read that a round came this far. */
  wait(roundId: string, awaited: Awaited, ms: number): Promise<'reached' | 'pending' | 'gone'>
  /** Has every validator run something. */
  execute(request: DirectRequest): Promise<DirectOutcome>
}

/** Named, because the type of a stub follows events down without end. */
interface RoundCalls {
  wait(awaited: Awaited, ms: number): Promise<'reached' | 'pending' | 'gone'>
  execute(request: DirectRequest): Promise<DirectOutcome>
}

export function createRoundsClient(env: Env): RoundsClient {
  const round = (roundId: string) => env.ROUND.getByName(roundId) as unknown as RoundCalls
  return {
    wait: (roundId, awaited, ms) => round(roundId).wait(awaited, ms),
    execute: (request) => round(request.roundId).execute(request),
  }
}
