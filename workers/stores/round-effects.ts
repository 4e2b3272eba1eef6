import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type ReputationEvent, reputationChange } from '../../protocol/actions/index.ts'
import type { MinerUnits } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import {
  epochCredits,
  epochRounds,
  type LeaseRow,
  modules,
  networkHours,
  projectVersions,
  proofHours,
  type RoundRow,
  roundOffences,
  subscriptions,
} from './schema/index.ts'
import { added, build, insertFrom, jsonParts, listed, membersOf } from './statements.ts'
import { daysWith, workDaySecs } from './work-days.ts'

export interface EndedMember extends Pick<LeaseRow, 'subscriptionId' | 'owner' | 'role'> {
  status: 'verified' | 'rejected' | 'missed'
  reason: LeaseRow['rejectionReason']
  /** Votes for another result than the final one. */
  disagreements: number
  /** 1 for a primary without a valid vote in time. */
  missedLeases: 0 | 1
  /** From its lease to its valid vote. This and what follows is not in messages of earlier versions. */
  leaseSecs?: number
  hasVoted?: boolean
  units?: number
}

/** What follows from the end of a round. */
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
 * The statements that follow from the end of rounds, as sums over them: a hundred rounds change a counter once. All are guarded by the same
 * condition, that none of the rounds was over, and go into one batch before the rows that end them, so that they happen once.
 * @param memberSince - Since when the subscriptions of members exist: one that was closed and opened again after a task is another one, which
 * the round does not change. Null where none is younger than its round.
 */
export function roundEffects(
  ends: readonly RoundEnd[],
  memberSince: ReadonlyMap<string, number> | null,
  isNew: SQL,
): SQLWrapper[] {
  const groups = <K>(of: readonly RoundEnd[], key: (end: RoundEnd) => K) => [...Map.groupBy(of, key).values()]
  const ofProjects = ends.filter(({ round }) => round.projectId !== null)
  const epochOf = ({ round }: RoundEnd) => `${round.projectId}:${round.epoch}`
  const offences = ends.filter(({ provesOffences }) => provesOffences)
  return [
    ...jsonParts(memberChanges(ends, memberSince)).map((part) => memberStatement(part, isNew)),
    ...jsonParts(countedProofsOf(ends)).map((part) => proofsStatement(part, isNew)),
    ...groups(ofProjects, (end) => `${epochOf(end)}:${end.round.consensusHash}`).map((own) =>
      epochStatement(own, isNew),
    ),
    ...groups(ofProjects, epochOf).flatMap((own) => creditsStatements(own, isNew)),
    ...groups(ends, hourOf).map((own) => networkStatement(own, isNew)),
    ...groups(
      ends.filter(({ round }) => round.state === 'finalized'),
      ({ round }) => round.moduleAddress,
    ).map((own) => moduleStatement(own, isNew)),
    ...offences.map(({ round: { roundId }, endedAt }) =>
      insertFrom(
        roundOffences,
        { roundId, attempts: 0, nextAttemptAt: endedAt },
        sql`WHERE ${isNew}`,
      ).onConflictDoNothing(),
    ),
  ]
}

const hourOf = ({ endedAt }: RoundEnd): number => Math.trunc(endedAt / hourSecs)

/** Written out, because a bound number is a float to the database. */
const integer = (value: number): SQL => sql.raw(String(Math.trunc(value)))

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)

/** What the rounds of each subscription change, in the order in which they ended. */
function memberChanges(ends: readonly RoundEnd[], memberSince: ReadonlyMap<string, number> | null) {
  const inOrder = [...ends].sort(
    (a, b) => a.endedAt - b.endedAt || (a.round.roundId < b.round.roundId ? -1 : 1),
  )
  const deeds = inOrder.flatMap(({ round, endedAt, members }) =>
    members
      .filter(({ subscriptionId: id }) => (memberSince?.get(id) ?? -Infinity) <= round.issuedAt)
      .map((member) => ({ ...member, endedAt })),
  )
  return [...Map.groupBy(deeds, ({ subscriptionId }) => subscriptionId)].map(([id, own]) => ({
    id,
    credited: sumOf(own, isCredited),
    missed: sumOf(own, ({ missedLeases }) => missedLeases),
    disagreed: sumOf(own, ({ disagreements }) => disagreements),
    proofAt: own.reduce(
      (last, { status, endedAt }) => (status === 'verified' ? Math.max(last, endedAt) : last),
      0,
    ),
    units: sumOf(own, ({ units = 0 }) => units),
    days: [...Map.groupBy(own, ({ endedAt }) => Math.trunc(endedAt / workDaySecs))].map(([day, deeds]) => [
      ...[
        day,
        sumOf(deeds, ({ units = 0 }) => units),
        sumOf(deeds, ({ hasVoted = false }) => Number(hasVoted)),
      ],
      sumOf(deeds, ({ hasVoted = false, missedLeases }) => Number(hasVoted) + missedLeases),
    ]),
    ...reputationChange(own.flatMap(reputationEvents), defaultNetworkParams),
  }))
}

/** The step upward comes first. */
const reputationEvents = (member: EndedMember): ReputationEvent[] => [
  ...(member.status === 'verified' ? (['credited'] as const) : []),
  ...Array.from({ length: member.missedLeases }, () => 'missed_lease' as const),
  ...Array.from({ length: member.disagreements }, () => 'disagreed' as const),
]

const isCredited = ({ status }: EndedMember): 0 | 1 => (status === 'verified' ? 1 : 0)

/** Counters and reputation of members. */
function memberStatement(part: string, isNew: SQL) {
  const { reputation, creditedRounds, missedLeases, disagreements, lastProofAt, units } = subscriptions
  return build
    .update(subscriptions)
    .set({
      creditedRounds: sql`${creditedRounds} + member.credited`,
      missedLeases: sql`${missedLeases} + member.missed`,
      disagreements: sql`${disagreements} + member.disagreed`,
      units: sql`${units} + member.units`,
      days: daysWith(sql`member.days`),
      reputation: sql`min(member.most, max(member.least, ${reputation} + member.shift))`,
      lastProofAt: sql`iif(member.credited, max(coalesce(${lastProofAt}, 0), member.proofAt), ${lastProofAt})`,
    })
    .from(
      sql`(SELECT value->>'id' AS id, value->>'credited' AS credited, value->>'missed' AS missed,
        value->>'disagreed' AS disagreed, value->>'units' AS units, value->'days' AS days, value->>'proofAt' AS proofAt, value->>'shift' AS shift,
        value->>'least' AS least, value->>'most' AS most FROM json_each(${part})) AS member`,
    )
    .where(sql`${subscriptions.subscriptionId} = member.id AND ${isNew}`)
}

const countedProofs = ['verified', 'finalityMs', 'disagreed', 'invalidVote', 'late', 'missed'] as const

/** Proofs of each wallet and project by the hour and the reason, so that no sum reads every proof there ever was. */
function countedProofsOf(ends: readonly RoundEnd[]) {
  const proofs = ends.flatMap((end) =>
    end.members.map((member) => ({
      ...member,
      projectId: end.round.projectId,
      hour: hourOf(end),
      finalityMs: member.status === 'verified' ? (end.round.finalityMs ?? 0) : 0,
    })),
  )
  const key = ({ owner, projectId, hour }: (typeof proofs)[number]) => `${owner}:${projectId}:${hour}`
  return [...Map.groupBy(proofs, key).values()].map((own) => {
    const { owner, projectId, hour } = own[0] as (typeof proofs)[number]
    const count = (reason: EndedMember['reason']) => sumOf(own, (proof) => Number(proof.reason === reason))
    return {
      ...{ owner, projectId, hour },
      verified: sumOf(own, isCredited),
      finalityMs: sumOf(own, ({ finalityMs }) => finalityMs),
      disagreed: count('disagreed'),
      invalidVote: count('invalid_vote'),
      late: count('late'),
      missed: count('missed'),
    }
  })
}

const proofsStatement = (part: string, isNew: SQL) =>
  insertFrom(
    proofHours,
    listed(proofHours, ['owner', 'projectId', 'hour', ...countedProofs]),
    sql`FROM json_each(${part}) WHERE ${isNew}`,
  ).onConflictDoUpdate({
    target: [proofHours.owner, proofHours.projectId, proofHours.hour],
    set: added(proofHours, countedProofs),
  })

/** What an epoch of a project has come to, and what it pays for: the terms are read from the version once. */
function epochStatement(ends: readonly RoundEnd[], isNew: SQL) {
  const { round } = ends[0] as RoundEnd
  const primaries = ends.flatMap(({ members }) => members.filter(({ role }) => role === 'primary'))
  const counts = {
    rounds: ends.length,
    finalized: sumOf(ends, (end) => Number(end.round.state === 'finalized')),
    fallback: sumOf(ends, (end) => Number(end.round.fallback !== null)),
    unpaid: sumOf(ends, ({ isUnpaid }) => Number(isUnpaid)),
    units: sumOf(ends, unitsOf),
    primaries: primaries.length,
    answered: primaries.filter(({ missedLeases }) => missedLeases === 0).length,
    contested: sumOf(ends, (end) => Number(end.round.votes > end.round.agreeing)),
    finalityMs: sumOf(ends, (end) => end.round.finalityMs ?? 0),
    leaseSecs: sumOf(primaries, ({ leaseSecs = 0 }) => leaseSecs),
  }
  const epoch = integer(round.epoch ?? 0)
  const projectId = round.projectId as string
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
      AND ${consensusHash} = ${round.consensusHash} LIMIT 1) AS ${projectVersions} WHERE ${isNew}`,
  ).onConflictDoUpdate({
    target: [epochRounds.projectId, epochRounds.epoch],
    set: added(epochRounds, membersOf(counts)),
  })
}

/** What payout addresses are credited in the epoch. Several members may share one, and each of their rounds counts once for it. */
function creditsStatements(ends: readonly RoundEnd[], isNew: SQL) {
  const { round } = ends[0] as RoundEnd
  const credits = Map.groupBy(
    ends.flatMap((end) => end.credits),
    ({ miner }) => miner,
  )
  const rows = [...credits].map(([miner, own]) => ({
    miner,
    rounds: own.length,
    units: sumOf(own, ({ units }) => units),
  }))
  const { projectId, epoch, endsAt } = epochRounds
  return jsonParts(rows).map((part) =>
    insertFrom(
      epochCredits,
      {
        ...listed(epochCredits, ['miner', 'rounds', 'units']),
        ...{ projectId: sql`${projectId}`, epoch: sql`${epoch}`, endsAt: sql`${endsAt}` },
      },
      sql`FROM json_each(${part}) CROSS JOIN ${epochRounds}
      WHERE ${projectId} = ${round.projectId} AND ${epoch} = ${round.epoch} AND ${isNew}`,
    ).onConflictDoUpdate({
      target: [epochCredits.miner, epochCredits.projectId, epochCredits.epoch],
      set: added(epochCredits, ['rounds', 'units']),
    }),
  )
}

function networkStatement(ends: readonly RoundEnd[], isNew: SQL) {
  const counts = {
    rounds: ends.length,
    finalized: sumOf(ends, ({ round }) => Number(round.state === 'finalized')),
    units: sumOf(ends, unitsOf),
  }
  return insertFrom(
    networkHours,
    { ...counts, hour: integer(hourOf(ends[0] as RoundEnd)) },
    sql`WHERE ${isNew}`,
  ).onConflictDoUpdate({ target: networkHours.hour, set: added(networkHours, membersOf(counts)) })
}

const moduleStatement = (ends: readonly RoundEnd[], isNew: SQL) =>
  build
    .update(modules)
    .set({ execCount: sql`${modules.execCount} + ${integer(ends.length)}` })
    .where(and(eq(modules.manifestAddress, (ends[0] as RoundEnd).round.moduleAddress), isNew))

const unitsOf = ({ credits }: RoundEnd): number => sumOf(credits, ({ units }) => units)
