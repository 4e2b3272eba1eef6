import { hashReceipt } from '../../protocol/execution/index.ts'
import { createFinalityRecord, createFinalityVote, tallyVotes } from '../../protocol/rounds/index.ts'
import { signerOf } from './signers.ts'
import { createTestRound, profile, rightReceipt, type TestProject } from './test-project.ts'

/** A final round of a project as an honest hub shows it. @param signers - Seeds of its validators. */
export function shownRound(project: TestProject, signers: readonly string[]) {
  const { task, roundId, seated, votes } = createTestRound(project)
  const own = seated.committee.fallback ? { ...rightReceipt, receipt_hash: rightReceiptHash } : null
  const record = createFinalityRecord(task, tallyVotes(profile, seated, task, votes), own)
  const { q, weights: _, draws: __, ...drawn } = seated.committee
  const { project_id, epoch, seq, set_hash } = task
  return {
    ...{ round_id: roundId, kind: 'task', state: 'finalized', project_id, epoch, seq },
    ...{ receipt_hash: record.receipt_hash, gas_used: record.gas_used, audited: record.audited },
    ...{ created_at: task.issued_at, finalized_at: task.issued_at + 2, task, votes_detail: votes },
    committee: { project_id, epoch, seq, set_hash, quorum: q, ...drawn },
    finality: record,
    finality_votes: signers.map((seed) => createFinalityVote(profile, signerOf(seed), record)),
  } as const
}

export const rightReceiptHash = hashReceipt(rightReceipt)
