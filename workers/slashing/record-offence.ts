import type { Profile } from '../../protocol/identity/index.ts'
import { deriveOffenceId, type Evidence, hashEvidence } from '../../protocol/slashing/index.ts'
import { windowTime } from '../chain/window-time.ts'
import type { Services } from '../services.ts'
import { EarlyEvidenceStore } from '../stores/early-evidence.ts'
import type { Slash } from '../stores/slashes.ts'
import { type BeforeDraw, excusingOffences, proveOffence } from './evidence.ts'

/** An offence that is on record, and whether it came there by this evidence, this time. */
export interface RecordedOffence {
  status: 'recorded'
  slash: Slash
  isNew: boolean
  /** When, as windows of the contracts are compared with it, in Unix seconds. */
  now: number
}

/** Evidence of a round that is not over is kept, and judged once it is. */
export interface KeptEvidence {
  status: 'kept'
}

/**
 * Records the offence that evidence proves, once, also if several callers prove it. @param beforeDraw - Pays for a draw, or throws.
 * @throws {@link ApiError} 422 `invalid_evidence`; 503 `unavailable` while the index is behind the chain.
 */
export async function recordOffence(
  services: Services,
  profile: Profile,
  evidence: Evidence,
  beforeDraw: BeforeDraw = async () => {},
): Promise<RecordedOffence | KeptEvidence> {
  const { slashes } = services
  const [known, now] = await Promise.all([slashes.find(hashEvidence(evidence)), windowTime(services)])
  // It was proven when it was recorded; who validates may have changed since.
  if (known) return { status: 'recorded', slash: known, isNew: false, now }
  const proof = await proveOffence(services, profile, evidence, beforeDraw, now)
  const offenceId = deriveOffenceId(evidence)
  if (proof.status === 'early') {
    await services.store(EarlyEvidenceStore).keep(offenceId, evidence, now)
    return { status: 'kept' }
  }
  const { slash, bonded, disputeWindowSecs } = proof
  const earlier = await slashes.findOffence(offenceId)
  if (earlier) return { status: 'recorded', slash: earlier, isNew: false, now }
  const excusedBy = excusingOffences(evidence)
  await slashes.record(slash, evidence, { bonded, disputeWindowSecs, excusedBy }, now)
  const recorded = await slashes.findOffence(offenceId)
  if (recorded === null) {
    // Another offence of the round was recorded since the proof, which excuses a missed vote: the proof says so now.
    await proveOffence(services, profile, evidence, async () => {}, now)
    throw new Error(`the offence ${offenceId} was recorded and no longer exists`)
  }
  // If several callers prove the offence at once, the evidence of one is stored.
  return { status: 'recorded', slash: recorded, isNew: recorded.evidenceHash === slash.evidenceHash, now }
}
