import { basisPointsMax } from '../../protocol/encoding/index.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import type { EpochRoundCounts } from '../stores/epoch-rounds.ts'

/** Counts an epoch that nothing can take back in the figures of its project, once. @param subject - The epoch, as states of the chain name it. */
export async function recordEpochFigures(env: Env, subject: string): Promise<void> {
  const { epochs, epochRounds, projectFigures } = services(env)
  const row = await epochs.findBySubject(subject)
  if (row === null) return
  const { projectId, epoch, epochSecs } = row
  const [{ compute_units: units }, counts, roundsOf] = await Promise.all([
    epochs.receipt(row.receiptHash),
    epochRounds.counts(projectId, epoch),
    epochRounds.roundsOf(projectId, epoch),
  ])
  await projectFigures.record({
    projectId,
    epoch,
    epochSecs,
    settledAt: row.postedAt ?? row.acceptedAt,
    rounds: counts?.rounds ?? 0,
    roundsFinalized: counts?.finalized ?? 0,
    roundsFallback: counts?.fallback ?? 0,
    medianFinalityMs: counts?.medianFinalityMs ?? null,
    uptimeBp: counts && uptime(counts),
    credits: units.map((one) => ({ ...one, rounds: roundsOf.get(one.miner) ?? 0 })),
  })
}

/** Of the members that were asked first, those that voted in time; null where nobody was asked. */
const uptime = ({ primaries, answered }: EpochRoundCounts): number | null =>
  primaries === 0 ? null : Math.floor((answered * basisPointsMax) / primaries)
