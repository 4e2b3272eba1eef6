import { and, eq, type Placeholder, sql } from 'drizzle-orm'
import { type ReputationEvent, reputationChange } from '../../protocol/actions/index.ts'
import type { MinerUnits } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { areNew, type NewRounds } from './new-rounds.ts'
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
import {
  added,
  build,
  insertFrom,
  jsonParts,
  listed,
  membersOf,
  prepared,
  type ReadyStatement,
} from './statements.ts'
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

/** The effects of the end of a round. */
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
 * the round does not change. Null if none is younger than its round.
 */
export function roundEffects(
  ends: readonly RoundEnd[],
  memberSince: ReadonlyMap<string, number> | null,
  newRounds: NewRounds,
): ReadyStatement[] {
  const groups = <K>(of: readonly RoundEnd[], key: (end: RoundEnd) => K) => [...Map.groupBy(of, key).values()]
  const ofProjects = ends.filter(({ round }) => round.projectId !== null)
  const epochOf = ({ round }: RoundEnd) => `${round.projectId}:${round.epoch}`
  const offences = ends.filter(({ provesOffences }) => provesOffences)
  return [
    ...jsonParts(memberChanges(ends, memberSince)).map((members) => changeMembers({ ...newRounds, members })),
    ...jsonParts(countedProofsOf(ends)).map((proofs) => countProofs({ ...newRounds, proofs })),
    ...groups(ofProjects, (end) => `${epochOf(end)}:${end.round.consensusHash}`).map((own) =>
      countEpoch({ ...newRounds, ...epochCounts(own), ...ofEpoch(own) }),
    ),
    ...groups(ofProjects, epochOf).flatMap((own) =>
      jsonParts(creditsOf(own)).map((credits) => credit({ ...newRounds, credits, ...ofEpoch(own) })),
    ),
    ...groups(ends, hourOf).map((own) =>
      countNetwork({ ...newRounds, ...networkCounts(own), hour: hourOf(own[0] as RoundEnd) }),
    ),
    ...groups(
      ends.filter(({ round }) => round.state === 'finalized'),
      ({ round }) => round.moduleAddress,
    ).map((own) =>
      countRuns({ ...newRounds, runs: own.length, moduleAddress: (own[0] as RoundEnd).round.moduleAddress }),
    ),
    ...offences.map(({ round: { roundId }, endedAt }) => noteOffence({ ...newRounds, roundId, endedAt })),
  ]
}

const ofEpoch = ([first]: readonly RoundEnd[]) => {
  const { projectId, epoch, consensusHash } = (first as RoundEnd).round
  return { projectId, epoch: epoch ?? 0, consensusHash }
}

const hourOf = ({ endedAt }: RoundEnd): number => Math.trunc(endedAt / hourSecs)

/** A bound number is a float to the database. */
const integer = (name: string) => sql`CAST(${sql.placeholder(name)} AS INTEGER)`

const placeholders = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries<Placeholder>(names.map((name) => [name, sql.placeholder(name)])) as Record<
    Name,
    Placeholder
  >

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)

/** The changes to each subscription by its rounds, in the order in which these ended. */
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
const changeMembers = prepared(() => {
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
        value->>'least' AS least, value->>'most' AS most FROM json_each(${sql.placeholder('members')})) AS member`,
    )
    .where(sql`${subscriptions.subscriptionId} = member.id AND ${areNew}`)
})

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

const countProofs = prepared(() =>
  insertFrom(
    proofHours,
    listed(proofHours, ['owner', 'projectId', 'hour', ...countedProofs]),
    sql`FROM json_each(${sql.placeholder('proofs')}) WHERE ${areNew}`,
  ).onConflictDoUpdate({
    target: [proofHours.owner, proofHours.projectId, proofHours.hour],
    set: added(proofHours, countedProofs),
  }),
)

function epochCounts(ends: readonly RoundEnd[]) {
  const primaries = ends.flatMap(({ members }) => members.filter(({ role }) => role === 'primary'))
  return {
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
}

/** Adds to the counts of a project's epoch. Its first round also sets the terms of payment, from the version. */
const countEpoch = prepared(() => {
  const counts = membersOf(epochCounts([]))
  const epoch = integer('epoch')
  const projectId = sql`${sql.placeholder('projectId')}`
  const isKnown = sql`EXISTS (SELECT 1 FROM ${epochRounds}
    WHERE ${epochRounds.projectId} = ${projectId} AND ${epochRounds.epoch} = ${epoch})`
  const { manifest, token, epochSecs, consensusHash } = projectVersions
  return insertFrom(
    epochRounds,
    {
      ...placeholders(counts),
      ...{ projectId, epoch },
      endsAt: sql`(${epoch} + 1) * ${epochSecs}`,
      terms: sql`iif(${isKnown}, '', json_set(json_extract(${manifest}, '$.consensus.economics'),
        '$.token', json(${token}), '$.epoch_secs', ${epochSecs}))`,
    },
    sql`FROM (SELECT * FROM ${projectVersions} WHERE ${projectVersions.projectId} = ${projectId}
      AND ${consensusHash} = ${sql.placeholder('consensusHash')} LIMIT 1) AS ${projectVersions} WHERE ${areNew}`,
  ).onConflictDoUpdate({
    target: [epochRounds.projectId, epochRounds.epoch],
    set: added(epochRounds, counts),
  })
})

/** The credits of payout addresses. Several members may share one; a round counts once for it. */
function creditsOf(ends: readonly RoundEnd[]) {
  const credits = Map.groupBy(
    ends.flatMap((end) => end.credits),
    ({ miner }) => miner,
  )
  return [...credits].map(([miner, own]) => ({
    miner,
    rounds: own.length,
    units: sumOf(own, ({ units }) => units),
  }))
}

const credit = prepared(() => {
  const { projectId, epoch, endsAt } = epochRounds
  return insertFrom(
    epochCredits,
    {
      ...listed(epochCredits, ['miner', 'rounds', 'units']),
      ...{ projectId: sql`${projectId}`, epoch: sql`${epoch}`, endsAt: sql`${endsAt}` },
    },
    sql`FROM json_each(${sql.placeholder('credits')}) CROSS JOIN ${epochRounds}
      WHERE ${projectId} = ${sql.placeholder('projectId')} AND ${epoch} = ${sql.placeholder('epoch')} AND ${areNew}`,
  ).onConflictDoUpdate({
    target: [epochCredits.miner, epochCredits.projectId, epochCredits.epoch],
    set: added(epochCredits, ['rounds', 'units']),
  })
})

const networkCounts = (ends: readonly RoundEnd[]) => ({
  rounds: ends.length,
  finalized: sumOf(ends, ({ round }) => Number(round.state === 'finalized')),
  units: sumOf(ends, unitsOf),
})

const countNetwork = prepared(() => {
  const counts = membersOf(networkCounts([]))
  return insertFrom(
    networkHours,
    { ...placeholders(counts), hour: integer('hour') },
    sql`WHERE ${areNew}`,
  ).onConflictDoUpdate({ target: networkHours.hour, set: added(networkHours, counts) })
})

const countRuns = prepared(() =>
  build
    .update(modules)
    .set({ execCount: sql`${modules.execCount} + ${integer('runs')}` })
    .where(and(eq(modules.manifestAddress, sql.placeholder('moduleAddress')), areNew)),
)

const noteOffence = prepared(() =>
  insertFrom(
    roundOffences,
    { roundId: sql.placeholder('roundId'), attempts: 0, nextAttemptAt: sql.placeholder('endedAt') },
    sql`WHERE ${areNew}`,
  ).onConflictDoNothing(),
)

const unitsOf = ({ credits }: RoundEnd): number => sumOf(credits, ({ units }) => units)
