import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { ProjectFiguresStore } from '../stores/project-figures.ts'
import { uptimeBp } from '../stores/work-days.ts'

/** Counts an epoch that nothing can take back in the figures of its project, once. @param subject - The epoch, as states of the chain name it. */
export async function recordEpochFigures(env: Env, subject: string): Promise<void> {
  const { epochs, epochRounds, store } = services(env)
  const row = await epochs.findBySubject(subject)
  if (row === null) return
  const { projectId, epoch, epochSecs } = row
  const [{ compute_units: units }, counts, roundsOf] = await Promise.all([
    epochs.receipt(row.receiptHash),
    epochRounds.counts(projectId, epoch),
    epochRounds.roundsOf(projectId, epoch),
  ])
  await store(ProjectFiguresStore).record({
    projectId,
    epoch,
    epochSecs,
    settledAt: row.postedAt ?? row.acceptedAt,
    rounds: counts?.rounds ?? 0,
    roundsFinalized: counts?.finalized ?? 0,
    roundsFallback: counts?.fallback ?? 0,
    medianFinalityMs: counts?.medianFinalityMs ?? null,
    // The share of the first asked members that voted in time; null if nobody was asked.
    uptimeBp: counts && (uptimeBp({ answered: counts.answered, asked: counts.primaries }) ?? null),
    credits: units.map((one) => ({ ...one, rounds: roundsOf.get(one.miner) ?? 0 })),
  })
}
