import type * as z from 'zod'
import { hashCommittee, paramsOfEpoch, quorum, sortitionSeed } from '../../../protocol/committees/index.ts'
import type { JsonValue } from '../../../protocol/encoding/index.ts'
import type { ParamsSchedule, Profile } from '../../../protocol/identity/index.ts'
import type { DirectRoundFile, RoundFile } from '../../stores/round-files.ts'
import type { AcceptedEpoch, ListedRound } from '../../stores/round-lists.ts'
import type { RoundRow } from '../../stores/schema/index.ts'
import type { CommitteeView } from '../committees/schema.ts'
import type { RoundSummary, RoundView, TaskContextView } from './schema.ts'

export const summaryView = (round: ListedRound): z.output<typeof RoundSummary> => ({
  round_id: round.roundId,
  kind: round.kind,
  state: round.state,
  ...(round.projectId !== null && { project_id: round.projectId }),
  ...(round.moduleAddress !== null && { module_address: round.moduleAddress }),
  ...(round.function !== null && { function: round.function }),
  ...(round.epoch !== null && { epoch: round.epoch }),
  ...(round.seq !== null && { seq: round.seq }),
  ...(round.receiptHash !== null && { receipt_hash: round.receiptHash }),
  ...(round.success !== null && { success: round.success }),
  ...(round.gasUsed !== null && { gas_used: round.gasUsed }),
  ...(round.committeeSize !== null && { committee_size: round.committeeSize }),
  ...(round.votes !== null && { votes: round.votes }),
  ...(round.agreeing !== null && { agreeing: round.agreeing }),
  ...(round.audited !== null && { audited: round.audited }),
  created_at: round.createdAt,
  ...(round.finalizedAt !== null && { finalized_at: round.finalizedAt }),
})

export const listedRound = ({ issuedAt, ...round }: RoundRow): ListedRound => ({
  ...round,
  createdAt: issuedAt,
})

/** The document whose hash is the id of a committee round; null for a direct round. */
export function taskView(round: RoundRow): z.output<typeof TaskContextView> | null {
  const { projectId, consensusHash, epoch, seq, setHash } = round
  if (projectId === null || consensusHash === null || epoch === null || seq === null || setHash === null)
    return null
  return {
    v: 1,
    project_id: projectId,
    consensus_hash: consensusHash,
    epoch,
    seq,
    set_hash: setHash,
    module_address: round.moduleAddress,
    function: round.function,
    input_hash: round.inputHash,
    gas_limit: round.gasLimit,
    issued_at: round.issuedAt,
  }
}

/**
 * The members that the file of a round adds to its row.
 * @param beacon - The value of the epoch's beacon, from which the seed of the draw follows; null while it is not known.
 */
export function fileView(
  profile: Profile,
  file: RoundFile,
  beacon: string | null,
): Partial<z.output<typeof RoundView>> {
  return {
    ...(beacon !== null && { committee: committeeView(profile, file, beacon) }),
    votes_detail: [...file.votes, ...file.evidence].map((vote) => ({ ...vote })),
    ...(file.finality !== null && { finality: finalityView(file.finality) }),
    finality_votes: file.finality_votes.map((vote) => ({
      ...vote,
      finality: finalityView(vote.finality),
    })),
  }
}

export const directView = (file: DirectRoundFile | null): Partial<z.output<typeof RoundView>> =>
  file === null ? {} : { exec_votes: file.exec_votes as unknown as Record<string, JsonValue>[] }

export const finalityView = (record: NonNullable<RoundFile['finality']>) => ({
  ...record,
  voters: record.voters.map((voter) => ({ ...voter })),
})

function committeeView(
  profile: Profile,
  { task, draw }: RoundFile,
  beacon: string,
): z.output<typeof CommitteeView> {
  const { project_id, epoch, seq, set_hash } = task
  const primaries = draw.filter(({ role }) => role === 'primary').length
  return {
    project_id,
    epoch,
    seq,
    set_hash,
    seed: sortitionSeed(profile, { beacon, project_id, epoch, seq, set_hash }),
    k_eff: primaries,
    b_eff: draw.length - primaries,
    quorum: quorum(primaries),
    fallback: draw.length === 0,
    committee_hash: hashCommittee(draw.map(({ node_key }) => node_key)),
    draw: draw.map((member) => ({ ...member })),
  }
}

/** The attempt that was running when an epoch was attested; attestations do not name it. */
export const attemptIn =
  (schedule: ParamsSchedule) =>
  ({ epoch, epochSecs, acceptedAt }: AcceptedEpoch): number => {
    const { settle, attempt_secs } = paramsOfEpoch(schedule, epoch, epochSecs)
    return Math.max(0, Math.floor((acceptedAt - (epoch + 1) * epochSecs - settle) / attempt_secs))
  }
