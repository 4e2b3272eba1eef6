import type { MissReason, RejectionReason } from '../../durable-objects/round/states.ts'
import type { NetworkParams } from '../../protocol/identity/index.ts'
import type { CommitteeRules, DeviceRequirements, ListingStatus } from '../../protocol/manifest/index.ts'
import { type Database, readRows, Store } from './database.ts'
import type { DeviceRow } from './devices.ts'
import type { EpochRow } from './epochs.ts'
import { type Analytics, type AnalyticsRow, analyticsText, readAnalytics } from './project-analytics.ts'

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
const leasesRead = 100
const sharesRead = 10
const claimableRead = 50
const leasesSecs = 86_400

/** The project, with the epoch that runs by its version in force. `?2` is the time: a bound number is a float to the database. */
const projectText = (
  id: string,
) => `SELECT p.*, v.epoch_secs, v.manifest, CAST(?2 AS INTEGER) / v.epoch_secs AS epoch
  FROM projects AS p JOIN project_versions AS v
    ON v.project_id = p.project_id AND v.version = p.version AND v.status <> 'rejected'
  WHERE p.project_id = ${id}`

type Offset = Pick<NetworkParams, 'beacon_offset_secs'>

const generationText = ({ beacon_offset_secs }: Offset) => `SELECT document FROM validator_generations
  WHERE effective_at <= of.epoch * of.epoch_secs - ${beacon_offset_secs} ORDER BY generation DESC LIMIT 1`

const isOfEpoch = (table: string) => `${table}.project_id = of.project_id AND ${table}.epoch = of.epoch`

const projectFacts = (
  params: Offset,
) => `SELECT json_object('projectId', of.project_id, 'listing', of.listing_status, 'reviewedAt', of.reviewed_at,
  'epoch', of.epoch, 'epochSecs', of.epoch_secs,
  'committee', of.manifest->'$.consensus.work.committee', 'requirements', of.manifest->'$.scheduling.requirements',
  'lastWorkAt', (SELECT max(ends_at) FROM epoch_rounds AS r WHERE r.project_id = of.project_id),
  'rounds', coalesce((SELECT rounds FROM epoch_rounds AS r WHERE ${isOfEpoch('r')}), 0),
  'set', (SELECT json_object('setHash', set_hash, 'entries', entries, 'builtAt', built_at, 'attestedAt', attested_at)
    FROM committee_sets AS c WHERE ${isOfEpoch('c')}),
  'validators', (SELECT json_array_length(document, '$.validators') FROM (${generationText(params)})),
  'missing', (SELECT json_group_array(one.value->>'node_id')
    FROM committee_sets AS c, json_each((${generationText(params)}), '$.validators') AS one
    WHERE ${isOfEpoch('c')} AND c.attested_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM committee_set_attestations AS a WHERE ${isOfEpoch('a')} AND a.public_key = one.value->>'public_key')),
  'isBehind', coalesce((SELECT is_behind FROM chain_cursor), 1)) FROM of`

/** One statement, because causes of one answer are of one moment. `?1` is the subscription. */
const subscriptionText = (params: Offset) => `WITH s AS (
    SELECT s.*, coalesce(c.state->>'payout', s.owner) AS payout,
      max(coalesce(c.state->>'started_at', 0), coalesce(c.state->>'payout_at', 0)) AS payout_at FROM subscriptions AS s
    LEFT JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id
    WHERE s.subscription_id = ?1),
  of AS (${projectText('(SELECT project_id FROM s)')}),
  newest AS (SELECT l.* FROM s JOIN leases AS l ON l.owner = s.owner ORDER BY l.created_at DESC LIMIT ${leasesRead}),
  alike AS MATERIALIZED (SELECT n.subscription_id = ?1 AS is_own, n.project_id, n.epoch, sum(n.units) AS units, min(n.created_at) AS at,
      count(*) AS count FROM newest AS n GROUP BY is_own, n.project_id, n.epoch),
  other AS MATERIALIZED (SELECT epoch, missed_because, rejection_reason, vote_problem, created_at,
      proof_status IN ('rejected', 'missed') OR state = 'missed' AS went_wrong
    FROM leases INDEXED BY leases_other_of_subscription
    WHERE subscription_id = ?1 AND (state <> 'finalized' OR proof_status <> 'verified') ORDER BY created_at DESC LIMIT ${leasesRead}),
  wrong AS (SELECT missed_because, rejection_reason, vote_problem, max(created_at) AS at, count(*) AS count FROM other
    WHERE went_wrong AND created_at > ?2 - ${leasesSecs} GROUP BY missed_because, rejection_reason),
  unclaimed AS MATERIALIZED (SELECT e.epoch, e.project_id FROM s
    JOIN epoch_shares AS e INDEXED BY epoch_shares_unclaimed ON e.miner = s.payout AND e.project_id = s.project_id
    WHERE e.claimed_at IS NULL AND e.leaf IS NOT NULL ORDER BY e.epoch LIMIT ${claimableRead})
SELECT (${projectFacts(params)}) AS project,
  (SELECT json_object('owner', d.owner, 'boundAt', d.bound_at, 'unboundAt', d.unbound_at, 'linkState', d.link_state,
    'linkStateAt', d.link_state_at, 'nodectlVersion', d.nodectl_version, 'profileUpdatedAt', d.profile_updated_at,
    'class', d.class, 'engine', d.engine, 'hardware', json(d.hardware), 'score', d.benchmark->>'score',
    'voteFaultAt', d.vote_fault_at, 'benchmarkFaultAt', d.benchmark_fault_at, 'bannedAt', d.banned_at,
    'banReason', d.ban_reason, 'nodeStatus', n.status, 'nodeHealth', n.health, 'revokedAt', n.revoked_at)
    FROM s JOIN devices AS d ON d.node_id = s.node_id LEFT JOIN nodes AS n ON n.node_id = s.node_id) AS device,
  (SELECT json_group_array(json_object('missedBecause', missed_because, 'rejectionReason', rejection_reason,
    'count', count, 'lastAt', at, 'problem', vote_problem))
    FROM wrong) AS leases,
  (SELECT epoch FROM (SELECT epoch, at FROM alike WHERE is_own UNION ALL SELECT epoch, created_at FROM other)
    ORDER BY at DESC LIMIT 1) AS lastEpoch,
  (SELECT iif(sum(count) = ${leasesRead}, min(at), NULL) FROM alike) AS leasesSince,
  (SELECT json_group_array(json_object('epoch', epoch, 'endsAt', ends_at, 'units', units, 'amount', amount,
    'token', json(token), 'leaf', leaf, 'state', state, 'settlement', settlement, 'error', error))
    FROM (SELECT e.*, r.token, r.state, r.settlement, r.error FROM s
      JOIN epoch_shares AS e ON e.miner = s.payout AND e.project_id = s.project_id AND (e.claimed_at IS NOT NULL) = 0
      JOIN epoch_receipts AS r ON r.project_id = e.project_id AND r.epoch = e.epoch
      ORDER BY e.ends_at DESC, e.epoch DESC LIMIT ${sharesRead})) AS shares,
  (SELECT json_object('count', count(r.epoch), 'since', min(r.release_at),
      'isAll', json(iif(count(*) < ${claimableRead}, 'true', 'false')))
    FROM unclaimed AS u LEFT JOIN epoch_receipts AS r
      ON r.project_id = u.project_id AND r.epoch = u.epoch AND r.state = 'settled' AND r.release_at <= ?2) AS claimable,
  (SELECT json_group_array(json_object('epoch', r.epoch, 'endsAt', r.starts_at + r.epoch_secs, 'recipients', r.recipients,
    'cap', t.terms->>'$.max_recipients_per_epoch'))
    FROM s, (SELECT project_id, epoch FROM alike WHERE is_own AND units > 0) AS credited
    JOIN epoch_receipts AS r ON r.project_id = credited.project_id AND r.epoch = credited.epoch
    JOIN epoch_rounds AS t ON t.project_id = r.project_id AND t.epoch = r.epoch
    WHERE r.starts_at - ${params.beacon_offset_secs} >= s.payout_at AND NOT EXISTS (SELECT 1 FROM epoch_shares AS e
      WHERE e.miner = s.payout AND e.project_id = r.project_id AND e.epoch = r.epoch)) AS unshared,
  (SELECT json_object('epoch', epoch, 'endsAt', ends_at) FROM s JOIN epoch_credits AS e
    ON e.miner = s.payout AND e.project_id = s.project_id
    WHERE NOT EXISTS (SELECT 1 FROM epoch_receipts AS r WHERE r.project_id = e.project_id AND r.epoch = e.epoch)
    ORDER BY e.ends_at LIMIT 1) AS unattested
FROM s`

const ofProjectText = (params: Offset) => `WITH of AS (${projectText('?1')})
  SELECT analytics.*, (${projectFacts(params)}) AS project FROM (${analyticsText}) AS analytics`

type Figures = 'lastEpoch' | 'leasesSince'
type FactsRow = Record<Exclude<keyof SubscriptionFacts, Figures>, string | null> &
  Record<Figures, number | null>

/** The facts from which causes are found. */
export class WhyFactStore extends Store {
  readonly #params: Offset
  constructor(db: Database, params: Offset) {
    super(db)
    this.#params = params
  }

  /** Null for no subscription. @param now - Unix seconds. */
  async ofSubscription(subscriptionId: string, now: number): Promise<SubscriptionFacts | null> {
    const [row] = await readRows<FactsRow>(this.db, {
      text: subscriptionText(this.#params),
      params: [subscriptionId, now],
    })
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
    const statement = { text: ofProjectText(this.#params), params: [projectId, now, since] }
    const [row] = await readRows<AnalyticsRow & { project: string | null }>(this.db, statement)
    return { analytics: readAnalytics(row), facts: read(row?.project) as ProjectFacts | null }
  }
}

const read = (text: string | null | undefined): unknown => JSON.parse(text ?? 'null')
