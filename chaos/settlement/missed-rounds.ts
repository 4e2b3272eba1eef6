import type { Task } from '../../protocol/rounds/index.ts'
import type { Member } from '../network/projects.ts'
import type { ChaosNetwork } from './network.ts'
import type { EvidencePlan } from './plan.ts'

/** A round in which a member gave no vote, as evidence of it says. */
export interface MissedRound {
  task: Task
  roundId: string
  member: Member
}

/** For which a member is blamed, and for which it is not. */
const faults = ['late', 'declined', 'offline']
const excuses = ['hub_away', 'absent', 'not_accepted', 'unserved', 'cut_short']

/**
 * Gives the hub the record of a round, without which a missed vote proves nothing: nobody plays rounds here, so the row is
 * written where the round's object would have published it. Written again it is the same, so a killed hub doubles nothing.
 */
export async function recordRound(
  { rows }: Pick<ChaosNetwork, 'rows'>,
  { task, roundId, member }: MissedRound,
  { flaw, early }: Pick<EvidencePlan, 'flaw' | 'early'>,
): Promise<void> {
  if (flaw === 'unknown_round') return
  const reasons = flaw === 'excused' ? excuses : faults
  const { project_id: projectId, epoch, issued_at: issuedAt } = task
  const { device, subscriptionId, wallet } = member
  const reason = reasons[Number.parseInt(roundId.slice(-2), 16) % reasons.length]
  await rows(
    `INSERT OR IGNORE INTO rounds (round_id, kind, state, project_id, epoch, module_address, function, input_hash, gas_limit,
      issued_at, committee_size, votes, agreeing, audited) VALUES (?, 'task', 'escalated', ?, ?, '', '', '', 1, ?, 3, 1, 1, 1)`,
    ...[roundId, projectId, epoch, issuedAt],
  )
  await rows(
    `INSERT OR IGNORE INTO leases (round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch,
      state, missed_because, created_at, deadline, proof_id) VALUES (?, 0, 'primary', ?, ?, ?, ?, ?, ?, 'missed', ?, ?, ?, ?)`,
    ...[roundId, device.publicKey, device.nodeId, subscriptionId, wallet.address, projectId, epoch],
    ...[reason, issuedAt, issuedAt + 30, `${roundId}:0`],
  )
  if (!early) await endRound({ rows }, { task, roundId })
}

/** The round is over: now its member is at fault, or excused. */
export const endRound = (
  { rows }: Pick<ChaosNetwork, 'rows'>,
  { task, roundId }: Pick<MissedRound, 'task' | 'roundId'>,
): Promise<unknown> =>
  rows(
    "UPDATE rounds SET state = 'finalized', finalized_at = ? WHERE round_id = ?",
    task.issued_at + 40,
    roundId,
  )
