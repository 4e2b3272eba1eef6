import type { Profile } from '../../protocol/identity/index.ts'
import { deriveOffenceId, type Evidence, hashEvidence } from '../../protocol/settlement/index.ts'
import type { Services } from '../services.ts'
import type { Slash } from '../stores/slashes.ts'
import { type BeforeDraw, proveOffence } from './evidence.ts'
import { windowTime } from './window-time.ts'

/** An offence that is on record, and whether it came there by this evidence, this time. */
export interface RecordedOffence {
  slash: Slash
  isNew: boolean
  /** When, as windows of the contracts are held against it, in Unix seconds. */
  now: number
}

/**
 * Records the offence that evidence proves. An offence is recorded once, whoever proves it and however often.
 *
 * @param beforeDraw - Called before a committee is drawn; it pays for the draw, or throws.
 * @throws {@link ApiError} 422 `invalid_evidence`; 503 `unavailable` while the index is behind the chain.
 */
export async function recordOffence(
  services: Services,
  profile: Profile,
  evidence: Evidence,
  beforeDraw: BeforeDraw = async () => {},
): Promise<RecordedOffence> {
  const { slashes } = services
  const [known, now] = await Promise.all([slashes.find(hashEvidence(evidence)), windowTime(services)])
  // It was proven when it was recorded; who validates may have changed since.
  if (known) return { slash: known, isNew: false, now }
  const { slash, disputeWindowSecs } = await proveOffence(services, profile, evidence, beforeDraw, now)
  const offenceId = deriveOffenceId(evidence)
  const earlier = await slashes.findOffence(offenceId)
  if (earlier) return { slash: earlier, isNew: false, now }
  await slashes.record(slash, evidence, disputeWindowSecs, now)
  const recorded = await slashes.findOffence(offenceId)
  if (recorded === null) throw new Error(`the offence ${offenceId} was recorded and is gone`)
  // Of racing evidence one was taken.
  return { slash: recorded, isNew: recorded.evidenceHash === slash.evidenceHash, now }
}
