import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { MissReason, RejectionReason } from '../../durable-objects/round/states.ts'
import type { NetworkParams } from '../../protocol/identity/index.ts'
import type { CommitteeRules, DeviceRequirements, ListingStatus } from '../../protocol/manifest/index.ts'
import { type Database, readRows, Store } from './database.ts'
import type { DeviceRow } from './devices.ts'
import type { EpochRow } from './epochs.ts'
import { type Analytics, type AnalyticsRow, analyticsStatement, readAnalytics } from './project-analytics.ts'
import {
  chainCursor,
  chainStates,
  committeeSetAttestations,
  committeeSets,
  devices,
  epochCredits,
  epochReceipts,
  epochRounds,
  epochShares,
  leases,
  nodes,
  projects,
  projectVersions,
  subscriptions,
  validatorGenerations,
} from './schema/index.ts'
import { isSameEpoch, prepared } from './statements.ts'

/** The facts that decide whether a project gives work in the epoch that runs. */
export interface ProjectFacts {
  projectId: string
  listing: ListingStatus
  reviewedAt: number | null
  epoch: number
  epochSecs: number
  committee: Pick<CommitteeRules, 'size' | 'min_size'>
  requirements: DeviceRequirements
  /** When the last epoch with a round ends or ended. */
  lastWorkAt: number | null
  /** Rounds of the epoch that are over. */
  rounds: number
  set: { setHash: string; entries: number; builtAt: number; attestedAt: number | null } | null
  /** How many validators the generation of the epoch has; null without a generation. */
  validators: number | null
  /** Node ids of the validators that have not attested the set, while it lacks its quorum. */
  missing: readonly string[]
  /** Whether the index has not read the whole chain. */
  isBehind: boolean
}

type DeviceFacts = Pick<
  DeviceRow,
  | 'owner'
  | 'boundAt'
  | 'unboundAt'
  | 'linkState'
  | 'linkStateAt'
  | 'nodectlVersion'
  | 'profileUpdatedAt'
  | 'class'
  | 'engine'
  | 'hardware'
  | 'voteFaultAt'
  | 'benchmarkFaultAt'
  | 'bannedAt'
  | 'banReason'
> & { score: number | null; nodeStatus: string | null; nodeHealth: string | null; revokedAt: number | null }

/** Leases of a subscription that went wrong alike. */
export interface LeaseFacts {
  missedBecause: MissReason | null
  rejectionReason: RejectionReason | null
  count: number
  lastAt: number
  /** The check that the last of them failed. */
  problem: string | null
}

/** The share of the payout address in an attested epoch. */
export interface ShareFacts extends Pick<EpochRow, 'state' | 'settlement' | 'error' | 'token'> {
  epoch: number
  endsAt: number
  units: number
  amount: string
  leaf: number | null
}

export interface SubscriptionFacts {
  project: ProjectFacts | null
  device: DeviceFacts | null
  leases: readonly LeaseFacts[]
  /** The newest epoch in which the member was drawn, of the leases that are looked at; those of credited work may be missing. */
  lastEpoch: number | null
  /** Credited work before this is not looked at, since the owner has more leases; null if all is. */
  leasesSince: number | null
  /** The newest that are not claimed. */
  shares: readonly ShareFacts[]
  /** Payouts that can be claimed, of the oldest that are not claimed. */
  claimable: { count: number; since: number | null; isAll: boolean }
  /** Attested epochs in which the device has credited rounds for the payout address, and this has no share. `cap` 0 means no cap. */
  unshared: readonly { epoch: number; endsAt: number; recipients: number; cap: number }[]
  /** The oldest epoch with credited rounds that nobody has attested. */
  unattested: { epoch: number; endsAt: number } | null
}

/**
 * Limits on the rows that are read. Leases: the newest of the subscription that are not credited, and the newest of the owner, some of
 * which are of other devices.
 */
const leasesRead = sql.raw('100')
const sharesRead = sql.raw('10')
const claimableRead = sql.raw('50')
const leasesSecs = sql.raw('86400')

const now = sql.placeholder('now')

/** The project, with the epoch that runs by its version in force. The cast is because a bound number is a float to the database. */
const projectOf = (id: SQLWrapper): SQL => {
  const [p, v] = [alias(projects, 'p'), alias(projectVersions, 'v')]
  return sql`SELECT p.*, ${v.epochSecs}, ${v.manifest}, CAST(${now} AS INTEGER) / ${v.epochSecs} AS epoch
    FROM ${projects} AS p JOIN ${projectVersions} AS v
      ON ${v.projectId} = ${p.projectId} AND ${v.version} = ${p.version} AND ${v.status} <> 'rejected'
    WHERE ${p.projectId} = ${id}`
}

type Offset = Pick<NetworkParams, 'beacon_offset_secs'>

const offsetOf = ({ beacon_offset_secs }: Offset): SQL => sql.raw(String(beacon_offset_secs))

const generationDocument = (params: Offset): SQL => {
  const { document, effectiveAt, generation } = validatorGenerations
  return sql`SELECT ${document} FROM ${validatorGenerations}
    WHERE ${effectiveAt} <= of.epoch * of.epoch_secs - ${offsetOf(params)} ORDER BY ${generation} DESC LIMIT 1`
}

const isOfEpoch = ({ projectId, epoch }: Record<'projectId' | 'epoch', Column>): SQL =>
  sql`${projectId} = of.project_id AND ${epoch} = of.epoch`

const projectFacts = (params: Offset): SQL => {
  const { setHash, entries, builtAt, attestedAt } = committeeSets
  const { endsAt, projectId, rounds } = epochRounds
  return sql`SELECT json_object('projectId', of.project_id, 'listing', of.listing_status, 'reviewedAt', of.reviewed_at,
    'epoch', of.epoch, 'epochSecs', of.epoch_secs,
    'committee', of.manifest->'$.consensus.work.committee', 'requirements', of.manifest->'$.scheduling.requirements',
    'lastWorkAt', (SELECT max(${endsAt}) FROM ${epochRounds} WHERE ${projectId} = of.project_id),
    'rounds', coalesce((SELECT ${rounds} FROM ${epochRounds} WHERE ${isOfEpoch(epochRounds)}), 0),
    'set', (SELECT json_object('setHash', ${setHash}, 'entries', ${entries}, 'builtAt', ${builtAt}, 'attestedAt', ${attestedAt})
      FROM ${committeeSets} WHERE ${isOfEpoch(committeeSets)}),
    'validators', (SELECT json_array_length(document, '$.validators') FROM (${generationDocument(params)})),
    'missing', (SELECT json_group_array(one.value->>'node_id')
      FROM ${committeeSets}, json_each((${generationDocument(params)}), '$.validators') AS one
      WHERE ${isOfEpoch(committeeSets)} AND ${attestedAt} IS NULL AND NOT EXISTS (
        SELECT 1 FROM ${committeeSetAttestations}
        WHERE ${isOfEpoch(committeeSetAttestations)} AND ${committeeSetAttestations.publicKey} = one.value->>'public_key')),
    'isBehind', coalesce((SELECT ${chainCursor.isBehind} FROM ${chainCursor}), 1)) FROM of`
}

/** One statement, because causes of one answer are of one moment. Its placeholders: `subscription`, and the time as `now`. */
function subscriptionStatement(params: Offset): SQL {
  const subscription = sql.placeholder('subscription')
  const [s, c, l, n] = [
    alias(subscriptions, 's'),
    alias(chainStates, 'c'),
    alias(leases, 'l'),
    alias(nodes, 'n'),
  ]
  const [d, e, r, t] = [
    alias(devices, 'd'),
    alias(epochShares, 'e'),
    alias(epochReceipts, 'r'),
    alias(epochRounds, 't'),
  ]
  const { missedBecause, rejectionReason, voteProblem, createdAt, proofStatus, state } = leases
  const credits = alias(epochCredits, 'e')
  return sql`WITH s AS (
    SELECT s.*, coalesce(${c.state}->>'payout', ${s.owner}) AS payout,
      max(coalesce(${c.state}->>'started_at', 0), coalesce(${c.state}->>'payout_at', 0)) AS payout_at FROM ${subscriptions} AS s
    LEFT JOIN ${chainStates} AS c ON ${c.kind} = 'subscription' AND ${c.subject} = ${s.subscriptionId}
    WHERE ${s.subscriptionId} = ${subscription}),
  of AS (${projectOf(sql`(SELECT project_id FROM s)`)}),
  newest AS (SELECT l.* FROM s JOIN ${leases} AS l ON ${l.owner} = ${s.owner} ORDER BY ${l.createdAt} DESC LIMIT ${leasesRead}),
  alike AS MATERIALIZED (SELECT n.subscription_id = ${subscription} AS is_own, n.project_id, n.epoch, sum(n.units) AS units,
      min(n.created_at) AS at, count(*) AS count FROM newest AS n GROUP BY is_own, n.project_id, n.epoch),
  other AS MATERIALIZED (SELECT ${leases.epoch}, ${missedBecause}, ${rejectionReason}, ${voteProblem}, ${createdAt},
      ${proofStatus} IN ('rejected', 'missed') OR ${state} = 'missed' AS went_wrong
    FROM ${leases} INDEXED BY leases_other_of_subscription
    WHERE ${leases.subscriptionId} = ${subscription} AND (${state} <> 'finalized' OR ${proofStatus} <> 'verified')
    ORDER BY ${createdAt} DESC LIMIT ${leasesRead}),
  wrong AS (SELECT missed_because, rejection_reason, vote_problem, max(created_at) AS at, count(*) AS count FROM other
    WHERE went_wrong AND created_at > ${now} - ${leasesSecs} GROUP BY missed_because, rejection_reason),
  unclaimed AS MATERIALIZED (SELECT ${e.epoch}, ${e.projectId} FROM s
    JOIN ${epochShares} AS e INDEXED BY epoch_shares_unclaimed ON ${e.miner} = s.payout AND ${e.projectId} = ${s.projectId}
    WHERE ${e.claimedAt} IS NULL AND ${e.leaf} IS NOT NULL ORDER BY ${e.epoch} LIMIT ${claimableRead})
SELECT (${projectFacts(params)}) AS project,
  (SELECT json_object('owner', ${d.owner}, 'boundAt', ${d.boundAt}, 'unboundAt', ${d.unboundAt}, 'linkState', ${d.linkState},
    'linkStateAt', ${d.linkStateAt}, 'nodectlVersion', ${d.nodectlVersion}, 'profileUpdatedAt', ${d.profileUpdatedAt},
    'class', ${d.class}, 'engine', ${d.engine}, 'hardware', json(${d.hardware}), 'score', ${d.benchmark}->>'score',
    'voteFaultAt', ${d.voteFaultAt}, 'benchmarkFaultAt', ${d.benchmarkFaultAt}, 'bannedAt', ${d.bannedAt},
    'banReason', ${d.banReason}, 'nodeStatus', ${n.status}, 'nodeHealth', ${n.health}, 'revokedAt', ${n.revokedAt})
    FROM s JOIN ${devices} AS d ON ${d.nodeId} = ${s.nodeId} LEFT JOIN ${nodes} AS n ON ${n.nodeId} = ${s.nodeId}) AS device,
  (SELECT json_group_array(json_object('missedBecause', missed_because, 'rejectionReason', rejection_reason,
    'count', count, 'lastAt', at, 'problem', vote_problem))
    FROM wrong) AS leases,
  (SELECT epoch FROM (SELECT epoch, at FROM alike WHERE is_own UNION ALL SELECT epoch, created_at FROM other)
    ORDER BY at DESC LIMIT 1) AS lastEpoch,
  (SELECT iif(sum(count) = ${leasesRead}, min(at), NULL) FROM alike) AS leasesSince,
  (SELECT json_group_array(json_object('epoch', epoch, 'endsAt', ends_at, 'units', units, 'amount', amount,
    'token', json(token), 'leaf', leaf, 'state', state, 'settlement', settlement, 'error', error))
    FROM (SELECT e.*, ${r.token}, ${r.state}, ${r.settlement}, ${r.error} FROM s
      JOIN ${epochShares} AS e ON ${e.miner} = s.payout AND ${e.projectId} = ${s.projectId} AND (${e.claimedAt} IS NOT NULL) = 0
      JOIN ${epochReceipts} AS r ON ${isSameEpoch(r, e)}
      ORDER BY ${e.endsAt} DESC, ${e.epoch} DESC LIMIT ${sharesRead})) AS shares,
  (SELECT json_object('count', count(${r.epoch}), 'since', min(${r.releaseAt}),
      'isAll', json(iif(count(*) < ${claimableRead}, 'true', 'false')))
    FROM unclaimed AS u LEFT JOIN ${epochReceipts} AS r
      ON ${r.projectId} = u.project_id AND ${r.epoch} = u.epoch AND ${r.state} = 'settled' AND ${r.releaseAt} <= ${now}) AS claimable,
  (SELECT json_group_array(json_object('epoch', ${r.epoch}, 'endsAt', ${r.startsAt} + ${r.epochSecs}, 'recipients', ${r.recipients},
    'cap', ${t.terms}->>'$.max_recipients_per_epoch'))
    FROM s, (SELECT project_id, epoch FROM alike WHERE is_own AND units > 0) AS credited
    JOIN ${epochReceipts} AS r ON ${r.projectId} = credited.project_id AND ${r.epoch} = credited.epoch
    JOIN ${epochRounds} AS t ON ${isSameEpoch(t, r)}
    WHERE ${r.startsAt} - ${offsetOf(params)} >= s.payout_at AND NOT EXISTS (SELECT 1 FROM ${epochShares} AS e
      WHERE ${e.miner} = s.payout AND ${isSameEpoch(e, r)})) AS unshared,
  (SELECT json_object('epoch', ${credits.epoch}, 'endsAt', ${credits.endsAt}) FROM s JOIN ${epochCredits} AS e
    ON ${credits.miner} = s.payout AND ${credits.projectId} = ${s.projectId}
    WHERE NOT EXISTS (SELECT 1 FROM ${epochReceipts} AS r WHERE ${isSameEpoch(r, credits)})
    ORDER BY ${credits.endsAt} LIMIT 1) AS unattested
FROM s`
}

const projectStatement = (params: Offset): SQL => sql`WITH of AS (${projectOf(sql.placeholder('project'))})
  SELECT analytics.*, (${projectFacts(params)}) AS project FROM (${analyticsStatement()}) AS analytics`

type Figures = 'lastEpoch' | 'leasesSince'
type FactsRow = Record<Exclude<keyof SubscriptionFacts, Figures>, string | null> &
  Record<Figures, number | null>

/** The facts from which causes are found. */
export class WhyFactStore extends Store {
  readonly #readSubscription: ReturnType<typeof prepared>
  readonly #readProject: ReturnType<typeof prepared>
  constructor(db: Database, params: Offset) {
    super(db)
    this.#readSubscription = prepared(() => subscriptionStatement(params))
    this.#readProject = prepared(() => projectStatement(params))
  }

  /** Null for no subscription. @param now - Unix seconds. */
  async ofSubscription(subscriptionId: string, now: number): Promise<SubscriptionFacts | null> {
    const [row] = await readRows<FactsRow>(
      this.db,
      this.#readSubscription({ subscription: subscriptionId, now }),
    )
    if (row === undefined) return null
    return {
      project: read(row.project) as ProjectFacts | null,
      device: read(row.device) as DeviceFacts | null,
      leases: read(row.leases) as LeaseFacts[],
      ...{ lastEpoch: row.lastEpoch, leasesSince: row.leasesSince },
      shares: read(row.shares) as ShareFacts[],
      claimable: read(row.claimable) as SubscriptionFacts['claimable'],
      unshared: read(row.unshared) as SubscriptionFacts['unshared'],
      unattested: read(row.unattested) as SubscriptionFacts['unattested'],
    }
  }

  /** With the figures of epochs that end after `since`. @param now - Unix seconds. */
  async ofProject(
    projectId: string,
    since: number,
    now: number,
  ): Promise<{ analytics: Analytics; facts: ProjectFacts | null }> {
    const statement = this.#readProject({ project: projectId, now, since })
    const [row] = await readRows<AnalyticsRow & { project: string | null }>(this.db, statement)
    return { analytics: readAnalytics(row), facts: read(row?.project) as ProjectFacts | null }
  }
}

const read = (text: string | null | undefined): unknown => JSON.parse(text ?? 'null')
