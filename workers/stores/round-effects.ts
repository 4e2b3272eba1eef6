import { type SQL, sql } from 'drizzle-orm'
import { reputationSteps } from '../../protocol/actions/index.ts'
import type { MinerUnits } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { isRoundOpen, type LeaseRow, type RoundRow } from './rounds.ts'
import {
  epochCredits,
  epochRounds,
  modules,
  networkHours,
  projectVersions,
  proofHours,
  roundOffences,
  subscriptions,
} from './schema/index.ts'

/** How a member did in a round that is final. */
export interface EndedMember extends Pick<LeaseRow, 'subscriptionId' | 'owner' | 'role'> {
  status: 'verified' | 'rejected' | 'missed'
  reason: LeaseRow['rejectionReason']
  /** Votes for another result than the final one. */
  disagreements: number
  /** 1 for a primary without a valid vote in time. */
  missedLeases: 0 | 1
}

/** What follows from the end of a round. */
export interface RoundEnd {
  round: RoundRow
  endedAt: number
  /** Whether it is final too late to be paid. */
  isUnpaid: boolean
  /** Those that are credited or blamed. */
  members: readonly EndedMember[]
  /** Units of payout addresses. */
  credits: readonly MinerUnits[]
  provesOffences: boolean
}

export const hourSecs = 3_600

/**
 * The statements that follow from the end of a round. Each is guarded by the round's being open, and they go before the one
 * that ends it into its batch, so that they happen once.
 */
export function roundEffects(end: RoundEnd): SQL[] {
  const { round, members } = end
  const isOpen = isRoundOpen(round.roundId)
  const isFinal = round.state === 'finalized'
  return [
    ...(members.length === 0 ? [] : [memberStatement(end, isOpen), proofsStatement(end, isOpen)]),
    ...(round.projectId === null ? [] : [epochStatement(end, isOpen)]),
    ...(end.credits.length === 0 ? [] : [creditsStatement(end, isOpen)]),
    networkStatement(end, isOpen),
    ...(isFinal
      ? [
          sql`UPDATE ${modules} SET exec_count = exec_count + 1
            WHERE manifest_address = ${round.moduleAddress} AND ${isOpen}`,
        ]
      : []),
    ...(end.provesOffences
      ? [
          sql`INSERT INTO ${roundOffences} (round_id, attempts, next_attempt_at)
            SELECT ${round.roundId}, 0, ${end.endedAt} WHERE ${isOpen}`,
        ]
      : []),
  ]
}

/** Written out, because a bound number is a float to the database. */
const integer = (value: number): SQL => sql.raw(String(Math.trunc(value)))

/**
 * Counters and reputation of members. A reputation is clamped after each step; the one upward comes first, and those
 * downward may be taken together. A subscription that was closed and opened again after the task is another one: it
 * keeps its counters.
 */
function memberStatement({ round, endedAt, members }: RoundEnd, isOpen: SQL): SQL {
  const { reputation_min: least, reputation_max: most } = defaultNetworkParams
  const { credited, missed_lease, disagreed } = reputationSteps
  const raised = sql`min(${integer(most)}, reputation + ${integer(credited)} * member.credited)`
  const rows = members.map(({ subscriptionId, status, disagreements, missedLeases }) => ({
    subscriptionId,
    credited: status === 'verified' ? 1 : 0,
    disagreements,
    missedLeases,
  }))
  return sql`
    UPDATE ${subscriptions} SET credited_rounds = credited_rounds + member.credited,
      missed_leases = missed_leases + member.missed, disagreements = ${subscriptions}.disagreements + member.disagreed,
      reputation = max(${integer(least)}, ${raised} + ${integer(missed_lease)} * member.missed
        + ${integer(disagreed)} * member.disagreed),
      last_proof_at = iif(member.credited, max(coalesce(last_proof_at, 0), ${integer(endedAt)}), last_proof_at)
    FROM (SELECT value->>'subscriptionId' AS id, value->>'credited' AS credited,
        value->>'missedLeases' AS missed, value->>'disagreements' AS disagreed
      FROM json_each(${JSON.stringify(rows)})) AS member
    WHERE subscription_id = member.id AND created_at <= ${round.issuedAt} AND ${isOpen}`
}

/** Proofs of each wallet by the hour and the reason, so that no sum reads every proof there ever was. */
function proofsStatement({ round, endedAt, members }: RoundEnd, isOpen: SQL): SQL {
  const finalityMs = round.finalityMs ?? 0
  const rows = [...Map.groupBy(members, ({ owner }) => owner)].map(([owner, own]) => {
    const count = (of: (member: EndedMember) => boolean) => own.filter(of).length
    const verified = count(({ status }) => status === 'verified')
    return {
      owner,
      verified,
      finalityMs: finalityMs * verified,
      disagreed: count(({ reason }) => reason === 'disagreed'),
      invalidVote: count(({ reason }) => reason === 'invalid_vote'),
      late: count(({ reason }) => reason === 'late'),
      missed: count(({ reason }) => reason === 'missed'),
    }
  })
  const counted = ['verified', 'finality_ms', 'disagreed', 'invalid_vote', 'late', 'missed']
  return sql`
    INSERT INTO ${proofHours} (owner, project_id, hour, ${sql.raw(counted.join(', '))})
    SELECT value->>'owner', ${round.projectId}, ${integer(endedAt / hourSecs)}, value->>'verified', value->>'finalityMs',
      value->>'disagreed', value->>'invalidVote', value->>'late', value->>'missed'
    FROM json_each(${JSON.stringify(rows)}) WHERE ${isOpen}
    ON CONFLICT (owner, project_id, hour) DO UPDATE SET
      ${sql.raw(counted.map((column) => `${column} = ${column} + excluded.${column}`).join(', '))}`
}

/** What an epoch of a project has come to, and what it pays for: the terms are read from the version once. */
function epochStatement({ round, isUnpaid, members, credits }: RoundEnd, isOpen: SQL): SQL {
  const primaries = members.filter(({ role }) => role === 'primary')
  const counts = {
    rounds: 1,
    finalized: Number(round.state === 'finalized'),
    fallback: Number(round.fallback !== null),
    unpaid: Number(isUnpaid),
    units: credits.reduce((sum, { units }) => sum + units, 0),
    primaries: primaries.length,
    answered: primaries.filter(({ missedLeases }) => missedLeases === 0).length,
  }
  const columns = Object.keys(counts)
  const [projectId, epoch] = [round.projectId, integer(round.epoch ?? 0)]
  const isKnown = sql`EXISTS (SELECT 1 FROM ${epochRounds} WHERE project_id = ${projectId} AND epoch = ${epoch})`
  return sql`
    INSERT INTO ${epochRounds} (project_id, epoch, ends_at, terms, ${sql.raw(columns.join(', '))})
    SELECT ${projectId}, ${epoch}, (${epoch} + 1) * v.epoch_secs, iif(${isKnown}, '', json_set(
        json_extract(v.manifest, '$.consensus.economics'), '$.token', json(v.token), '$.epoch_secs', v.epoch_secs)),
      ${sql.raw(Object.values(counts).join(', '))}
    FROM (SELECT * FROM ${projectVersions} WHERE project_id = ${projectId}
      AND consensus_hash = ${round.consensusHash} LIMIT 1) AS v
    WHERE ${isOpen}
    ON CONFLICT (project_id, epoch) DO UPDATE SET
      ${sql.raw(columns.map((column) => `${column} = ${column} + excluded.${column}`).join(', '))}`
}

/** What payout addresses are credited in the epoch. Several members may share one, and each is a round of it. */
function creditsStatement({ round, credits }: RoundEnd, isOpen: SQL): SQL {
  return sql`
    INSERT INTO ${epochCredits} (miner, project_id, epoch, ends_at, rounds, units)
    SELECT value->>'miner', r.project_id, r.epoch, r.ends_at, 1, value->>'units'
    FROM json_each(${JSON.stringify(credits)}) CROSS JOIN ${epochRounds} AS r
    WHERE r.project_id = ${round.projectId} AND r.epoch = ${round.epoch} AND ${isOpen}
    ON CONFLICT (miner, project_id, epoch) DO UPDATE SET rounds = rounds + 1, units = units + excluded.units`
}

/** What the network did, by the hour. */
function networkStatement({ round, endedAt, credits }: RoundEnd, isOpen: SQL): SQL {
  const units = credits.reduce((sum, one) => sum + one.units, 0)
  return sql`
    INSERT INTO ${networkHours} (hour, rounds, finalized, units)
    SELECT ${integer(endedAt / hourSecs)}, 1, ${Number(round.state === 'finalized')}, ${units} WHERE ${isOpen}
    ON CONFLICT (hour) DO UPDATE SET rounds = rounds + 1, finalized = finalized + excluded.finalized,
      units = units + excluded.units`
}
