import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
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
import { added, build, insertFrom, listed, membersOf } from './statements.ts'

export interface EndedMember extends Pick<LeaseRow, 'subscriptionId' | 'owner' | 'role'> {
  status: 'verified' | 'rejected' | 'missed'
  reason: LeaseRow['rejectionReason']
  /** Votes for another result than the final one. */
  disagreements: number
  /** 1 for a primary without a valid vote in time. */
  missedLeases: 0 | 1
}

export interface RoundEnd {
  round: RoundRow
  endedAt: number
  /** Whether it is final too late to be paid. */
  isUnpaid: boolean
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
export function roundEffects(end: RoundEnd): SQLWrapper[] {
  const { round, members } = end
  const isOpen = isRoundOpen(round.roundId)
  return [
    ...(members.length === 0 ? [] : [memberStatement(end, isOpen), proofsStatement(end, isOpen)]),
    ...(round.projectId === null ? [] : [epochStatement(end, round.projectId, isOpen)]),
    ...(end.credits.length === 0 ? [] : [creditsStatement(end, isOpen)]),
    networkStatement(end, isOpen),
    ...(round.state === 'finalized'
      ? [
          build
            .update(modules)
            .set({ execCount: sql`${modules.execCount} + 1` })
            .where(and(eq(modules.manifestAddress, round.moduleAddress), isOpen)),
        ]
      : []),
    ...(end.provesOffences
      ? [
          insertFrom(
            roundOffences,
            { roundId: round.roundId, attempts: 0, nextAttemptAt: end.endedAt },
            sql`WHERE ${isOpen}`,
          ),
        ]
      : []),
  ]
}

/** Written out, because a bound number is a float to the database. */
const integer = (value: number): SQL => sql.raw(String(Math.trunc(value)))

/**
 * Counters and reputation of members. A reputation is clamped after each step; the one upward comes first, and those downward may be taken
 * together. A subscription that was closed and opened again after the task is another one: the round does not change it.
 */
function memberStatement({ round, endedAt, members }: RoundEnd, isOpen: SQL) {
  const { reputation_min: least, reputation_max: most } = defaultNetworkParams
  const { credited, missed_lease, disagreed } = reputationSteps
  const { reputation, creditedRounds, missedLeases, disagreements, lastProofAt } = subscriptions
  const raised = sql`min(${integer(most)}, ${reputation} + ${integer(credited)} * member.credited)`
  const rows = members.map(({ subscriptionId: id, status, ...member }) => ({
    ...{ id, credited: Number(status === 'verified') },
    ...{ disagreed: member.disagreements, missed: member.missedLeases },
  }))
  return build
    .update(subscriptions)
    .set({
      creditedRounds: sql`${creditedRounds} + member.credited`,
      missedLeases: sql`${missedLeases} + member.missed`,
      disagreements: sql`${disagreements} + member.disagreed`,
      reputation: sql`max(${integer(least)}, ${raised} + ${integer(missed_lease)} * member.missed
        + ${integer(disagreed)} * member.disagreed)`,
      lastProofAt: sql`iif(member.credited, max(coalesce(${lastProofAt}, 0), ${integer(endedAt)}), ${lastProofAt})`,
    })
    .from(
      sql`(SELECT value->>'id' AS id, value->>'credited' AS credited, value->>'missed' AS missed,
        value->>'disagreed' AS disagreed FROM json_each(${JSON.stringify(rows)})) AS member`,
    )
    .where(
      sql`${subscriptions.subscriptionId} = member.id AND ${subscriptions.createdAt} <= ${round.issuedAt} AND ${isOpen}`,
    )
}

const countedProofs = ['verified', 'finalityMs', 'disagreed', 'invalidVote', 'late', 'missed'] as const

/** Proofs of each wallet by the hour and the reason, so that no sum reads every proof there ever was. */
function proofsStatement({ round, endedAt, members }: RoundEnd, isOpen: SQL) {
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
  return insertFrom(
    proofHours,
    {
      ...listed(proofHours, ['owner', ...countedProofs]),
      projectId: sql`${round.projectId}`,
      hour: integer(endedAt / hourSecs),
    },
    sql`FROM json_each(${JSON.stringify(rows)}) WHERE ${isOpen}`,
  ).onConflictDoUpdate({
    target: [proofHours.owner, proofHours.projectId, proofHours.hour],
    set: added(proofHours, countedProofs),
  })
}

/** What an epoch of a project has come to, and what it pays for: the terms are read from the version once. */
function epochStatement({ round, isUnpaid, members, credits }: RoundEnd, projectId: string, isOpen: SQL) {
  const primaries = members.filter(({ role }) => role === 'primary')
  const counts = {
    rounds: 1,
    finalized: Number(round.state === 'finalized'),
    fallback: Number(round.fallback !== null),
    unpaid: Number(isUnpaid),
    units: unitsOf(credits),
    primaries: primaries.length,
    answered: primaries.filter(({ missedLeases }) => missedLeases === 0).length,
  }
  const epoch = integer(round.epoch ?? 0)
  const isKnown = sql`EXISTS (SELECT 1 FROM ${epochRounds}
    WHERE ${epochRounds.projectId} = ${projectId} AND ${epochRounds.epoch} = ${epoch})`
  const { manifest, token, epochSecs, consensusHash } = projectVersions
  return insertFrom(
    epochRounds,
    {
      ...counts,
      ...{ projectId, epoch },
      endsAt: sql`(${epoch} + 1) * ${epochSecs}`,
      terms: sql`iif(${isKnown}, '', json_set(json_extract(${manifest}, '$.consensus.economics'),
        '$.token', json(${token}), '$.epoch_secs', ${epochSecs}))`,
    },
    sql`FROM (SELECT * FROM ${projectVersions} WHERE ${projectVersions.projectId} = ${projectId}
      AND ${consensusHash} = ${round.consensusHash} LIMIT 1) AS ${projectVersions} WHERE ${isOpen}`,
  ).onConflictDoUpdate({
    target: [epochRounds.projectId, epochRounds.epoch],
    set: added(epochRounds, membersOf(counts)),
  })
}

/** What payout addresses are credited in the epoch. Several members may share one, and each is a round of it. */
function creditsStatement({ round, credits }: RoundEnd, isOpen: SQL) {
  const { projectId, epoch, endsAt } = epochRounds
  return insertFrom(
    epochCredits,
    {
      ...listed(epochCredits, ['miner', 'units']),
      ...{ projectId: sql`${projectId}`, epoch: sql`${epoch}`, endsAt: sql`${endsAt}`, rounds: 1 },
    },
    sql`FROM json_each(${JSON.stringify(credits)}) CROSS JOIN ${epochRounds}
      WHERE ${projectId} = ${round.projectId} AND ${epoch} = ${round.epoch} AND ${isOpen}`,
  ).onConflictDoUpdate({
    target: [epochCredits.miner, epochCredits.projectId, epochCredits.epoch],
    set: added(epochCredits, ['rounds', 'units']),
  })
}

function networkStatement({ round, endedAt, credits }: RoundEnd, isOpen: SQL) {
  const counts = { rounds: 1, finalized: Number(round.state === 'finalized'), units: unitsOf(credits) }
  return insertFrom(
    networkHours,
    { ...counts, hour: integer(endedAt / hourSecs) },
    sql`WHERE ${isOpen}`,
  ).onConflictDoUpdate({ target: networkHours.hour, set: added(networkHours, membersOf(counts)) })
}

const unitsOf = (credits: readonly MinerUnits[]): number => credits.reduce((sum, { units }) => sum + units, 0)
