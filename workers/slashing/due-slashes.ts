import { windowTime } from '../chain/window-time.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { decisionSecs, disputeGraceSecs, executionSecs } from './slash-standing.ts'

const batchMax = 50

/** Wants on the chain what the passing of time makes due about slashes, and closes those that there is nothing left for. */
export async function wantDueSlashActions(env: Env): Promise<void> {
  const { slashes, ...others } = services(env)
  await slashes.closeWithdrawn()
  const [passed, now] = await Promise.all([windowTime(others), others.clock.now()])
  await slashes.wantDue(
    { executableUntil: passed - disputeGraceSecs, disputedUntil: passed - decisionSecs, executionSecs },
    batchMax,
    now,
  )
}
