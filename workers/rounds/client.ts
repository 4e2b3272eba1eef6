import type { DirectOutcome, DirectRequest } from '../../durable-objects/round/direct.ts'
import type { Awaited } from '../../durable-objects/round/object.ts'
import type { RoundWaiting } from '../../durable-objects/round/round.ts'
import type { Env } from '../env.ts'

export interface RoundsClient {
  /** Waits until everybody can read that a round came this far. */
  wait(roundId: string, awaited: Awaited, ms: number): Promise<'reached' | 'pending' | 'gone'>
  /** What a round waits for; null while its committee works, and when it is over. */
  waitingFor(roundId: string): Promise<RoundWaiting | null>
  /** Has every validator run something that looks at no storage. */
  execute(request: DirectRequest): Promise<DirectOutcome>
  /** As `execute`, for what may look at storage: in the one order of such rounds. */
  executeInOrder(request: DirectRequest): Promise<DirectOutcome>
}

/** Named, because the type of a stub follows events down without end. */
interface RoundCalls {
  wait(awaited: Awaited, ms: number): Promise<'reached' | 'pending' | 'gone'>
  waitingFor(): Promise<RoundWaiting | null>
  execute(request: DirectRequest): Promise<DirectOutcome>
}

export function createRoundsClient(env: Env): RoundsClient {
  const round = (roundId: string) => env.ROUND.getByName(roundId) as unknown as RoundCalls
  return {
    wait: (roundId, awaited, ms) => round(roundId).wait(awaited, ms),
    waitingFor: (roundId) => round(roundId).waitingFor(),
    execute: (request) => round(request.roundId).execute(request),
    executeInOrder: (request) =>
      (env.DIRECT_ORDER.getByName('direct') as unknown as Pick<RoundCalls, 'execute'>).execute(request),
  }
}
