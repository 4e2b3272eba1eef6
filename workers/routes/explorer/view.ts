import type { EpochRow, EpochState, ListedEpoch } from '../../stores/epochs.ts'
import type { RoundTotals } from '../../stores/known-epochs.ts'
import type { Project } from '../../stores/projects.ts'

function epochStatus(row: Pick<EpochRow, 'state' | 'releaseAt'>, now: number): EpochState {
  return row.state === 'settled' && (row.releaseAt ?? Infinity) <= now ? 'released' : row.state
}

/** The record of an epoch with a receipt. @param now - Unix seconds. */
export function epochView(row: ListedEpoch, now: number) {
  const status = epochStatus(row, now)
  return {
    ...epochTimes(row),
    status,
    rounds: row.rounds,
    fallback_rounds: row.fallbackRounds,
    miners: row.recipients,
    token: row.token,
    totals: row.totals,
    receipt_hash: row.receiptHash,
    merkle_root: row.merkleRoot,
    settlement: {
      status: status === 'settled' || status === 'released' || status === 'vetoed' ? status : row.settlement,
      ...(row.postedTx !== null && { tx_hash: row.postedTx }),
      ...(row.postedBlock !== null && { block_number: row.postedBlock }),
      ...(row.releaseAt !== null && { claimable_at: row.releaseAt }),
      error: row.error,
    },
  }
}

/** The record of an epoch that nobody attested: it runs, or it is over. @param known - How many rounds the last epochs had. */
export const unattestedView = (
  { projectId, token }: Project,
  { epoch, epochSecs }: Pick<EpochRow, 'epoch' | 'epochSecs'>,
  known: readonly RoundTotals[],
  now: number,
) => {
  const totals = known.find((one) => one.epoch === epoch)
  const times = epochTimes({ projectId, epoch, epochSecs, startsAt: epoch * epochSecs })
  return {
    ...times,
    status: times.ends_at > now ? ('open' as const) : ('closed' as const),
    rounds: totals?.rounds ?? 0,
    fallback_rounds: totals?.fallbackRounds ?? 0,
    miners: 0,
    token,
  }
}

const epochTimes = ({
  projectId,
  epoch,
  epochSecs,
  startsAt,
}: Pick<EpochRow, 'projectId' | 'epoch' | 'epochSecs' | 'startsAt'>) => ({
  project_id: projectId,
  epoch,
  epoch_secs: epochSecs,
  starts_at: startsAt,
  ends_at: startsAt + epochSecs,
})
