import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { creditNodes } from './node-credits.ts'

/**
 * Counts an epoch that no veto and no reorganisation can take back in everything that follows from credited rounds. It may
 * be asked again, and counts once.
 *
 * A unit is a credited round. A round credits a node once at most, so the most that one node has is what the receipt tells
 * of how many rounds there were.
 *
 * @param subject - The epoch, as the states of the chain name it.
 */
export async function recordEpochFigures(env: Env, subject: string): Promise<void> {
  const { epochs, committeeSets, projectFigures } = services(env)
  const row = await epochs.findBySubject(subject)
  if (row === null) return
  const { projectId, epoch, epochSecs } = row
  const [{ compute_units: units }, set] = await Promise.all([
    epochs.receipt(row.receiptHash),
    committeeSets.attested(projectId, epoch),
  ])
  const nodes = creditNodes(units, set?.snapshot.entries ?? [])
  const rounds = mostOf(nodes.length > 0 ? nodes.map((one) => one.rounds) : units.map((one) => one.units))
  await projectFigures.record({
    projectId,
    epoch,
    epochSecs,
    settledAt: row.postedAt ?? row.acceptedAt,
    rounds,
    roundsFinalized: rounds,
    roundsFallback: 0,
    medianFinalityMs: null,
    uptimeBp: null,
    credits: units.map(({ miner, units: earned, amount }) => ({
      miner,
      rounds: earned,
      units: earned,
      amount,
    })),
    nodes,
  })
}

const mostOf = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0)
