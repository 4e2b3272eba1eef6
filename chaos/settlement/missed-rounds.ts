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
 * Gives the hub a round, without which a missed vote proves nothing: nobody plays rounds here, so what is written is what the round's object
 * would have had written. Written again it is the same, so a killed hub doubles nothing.
 */
export async function recordRound(
  network: Pick<ChaosNetwork, 'rows' | 'putRecord'>,
  round: MissedRound,
  { flaw, early }: Pick<EvidencePlan, 'flaw' | 'early'>,
): Promise<void> {
  if (flaw === 'unknown_round') return
  const { project_id: projectId, epoch, issued_at: issuedAt } = round.task
  await network.rows(
    `INSERT OR IGNORE INTO rounds (round_id, kind, state, project_id, epoch, module_address, function, input_hash, gas_limit,
      issued_at, committee_size, votes, agreeing, audited) VALUES (?, 'task', 'escalated', ?, ?, '', '', '', 1, ?, 3, 1, 1, 1)`,
    ...[round.roundId, projectId, epoch, issuedAt],
  )
  if (!early) await endRound(network, round, flaw === 'excused')
}

/** The round is over: now its member is at fault, or excused. */
export async function endRound(
  { rows, putRecord }: Pick<ChaosNetwork, 'rows' | 'putRecord'>,
  { task, roundId, member }: MissedRound,
  isExcused: boolean,
): Promise<void> {
  const reasons = isExcused ? excuses : faults
  const missedBecause = reasons[Number.parseInt(roundId.slice(-2), 16) % reasons.length]
  const finalizedAt = task.issued_at + 40
  await putRecord({
    round_id: roundId,
    published: {
      round: { roundId, state: 'finalized', fallback: null, finalizedAt },
      leases: [{ nodeKey: member.device.publicKey, role: 'primary', state: 'missed', missedBecause }],
    },
  } as { round_id: string })
  await rows(
    "UPDATE rounds SET state = 'finalized', finalized_at = ? WHERE round_id = ?",
    finalizedAt,
    roundId,
  )
}
