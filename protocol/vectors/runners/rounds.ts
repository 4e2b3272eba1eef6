import { parseSnapshot } from '../../committees/index.ts'
import { defaultNetworkParams, deriveTaskRoundId, type Profile } from '../../identity/index.ts'
import {
  auditDraw,
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  finalRecord,
  hashFinality,
  hasSeat,
  isAgreedAtAcceptable,
  isAudited,
  parseFinalityVote,
  parseTask,
  parseTaskVote,
  roundDeadline,
  roundText,
  type SeatedCommittee,
  seatCommittee,
  selectAuditBlock,
  tallyVotes,
} from '../../rounds/index.ts'
import type { Json } from '../format.ts'
import type { TopicRunner } from '../runner.ts'

/** Seats the committee of a case: its snapshot, its committee and a task, under the default parameters. */
export function seatOf(profile: Profile, input: Json, task: Json): SeatedCommittee {
  return seatCommittee(profile, parseSnapshot(input.snapshot, defaultNetworkParams), task.seq, {
    committee: input.committee,
    params: defaultNetworkParams,
  })
}

export const runTaskRound: TopicRunner = ({ task, consensus, set_hash, round_secs, ...input }) => {
  if (consensus !== undefined) {
    const { project_id = task.project_id, epoch = task.epoch } = input
    parseTask(task, { consensus, project_id, epoch, set_hash })
  }
  return {
    round_id: deriveTaskRoundId(task),
    round_deadline: roundDeadline(task, round_secs ?? consensus.work.round_secs),
  }
}

export const runTaskVote: TopicRunner = (input, { profile }) => {
  if (input.vote === undefined) {
    const vote = createTaskVote(profile, input.node_seed, input)
    const { receipt_hash, signature, round_signature } = vote
    return { receipt_hash, round_message: roundText(profile, vote), signature, round_signature, vote }
  }
  const vote = parseTaskVote(profile, input.vote)
  if (input.snapshot === undefined) return { accepted: true }
  return hasSeat(seatOf(profile, input, vote.task), vote) ? { accepted: true } : { error: 'invalid_vote' }
}

export const runTally: TopicRunner = (input, { profile }) => {
  const { votes: _, ...tally } = tallyVotes(
    profile,
    seatOf(profile, input, input.task),
    input.task,
    input.votes,
  )
  return tally
}

export const runFinality: TopicRunner = (input, { profile }) => {
  if (input.record !== undefined) {
    const vote = createFinalityVote(profile, input.validator_seed, input.record)
    const finalityHash = hashFinality(input.record)
    return {
      finality_hash: finalityHash,
      round_message: roundText(profile, { ...vote, extra: finalityHash }),
      round_signature: vote.round_signature,
      signature: vote.signature,
      vote,
    }
  }
  if (input.agreed_at !== undefined)
    return { acceptable: isAgreedAtAcceptable(input.agreed_at, input.task, input.limits, input.now) }
  if (input.task !== undefined) {
    const tally = tallyVotes(profile, seatOf(profile, input, input.task), input.task, input.votes)
    return { record: createFinalityRecord(input.task, tally, input.own) }
  }
  if (input.votes !== undefined) {
    const record = finalRecord(profile, input.votes, input.validators)
    return { finality_hash: record === null ? null : hashFinality(record) }
  }
  return { accepted: true, round_id: parseFinalityVote(profile, input.vote, input.validators).round_id }
}

export const runAudit: TopicRunner = (input, { profile }) => {
  if (input.blocks !== undefined) return { block: selectAuditBlock(input.blocks, input.agreed_at) }
  const draw = auditDraw(profile, input.round_id, input.audit_block_hash)
  return { audit_draw: draw, audit: isAudited(draw, input.audit_bp, input.contested) }
}
