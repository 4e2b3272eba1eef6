import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias, type SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import type { NetworkParams } from '../../protocol/identity/index.ts'
import { epochLengths, type ListingStatus, type versionStates } from '../../protocol/manifest/index.ts'
import { isState } from './chain-facts.ts'
import { chainStates, devices, projects, projectVersions, subscriptions } from './schema/index.ts'
import { build } from './statements.ts'

/** The expressions that name a version in a statement. A bound number is a float to the database, so it is a column or written out. */
type VersionTerms = Record<'projectId' | 'version' | 'manifestHash' | 'consensusHash', SQLWrapper>

/**
 * Whether the registry has a version with the hashes that were submitted here. A developer may register others, and a
 * later version says nothing about this one.
 */
export const isPublishedAs = (of: VersionTerms): SQL =>
  sql`EXISTS (SELECT 1 FROM ${chainStates} WHERE ${isState('version', sql`${of.projectId} || ':' || ${of.version}`)}
    AND ${chainStates.state}->>'manifest_hash' = ${of.manifestHash}
    AND ${chainStates.state}->>'consensus_hash' = ${of.consensusHash})`

/**
 * Brings the hub's own records of projects in step with what the registry says of them, forward and back. A version that is in force stays
 * so: its epoch begins at least `beacon_offset_secs` after its event, when that is final. @param projectIds - The projects whose events
 * came or went; their states are written already.
 */
export function registryEffects(
  projectIds: SQL,
  guard: SQL,
  { beacon_offset_secs }: Pick<NetworkParams, 'beacon_offset_secs'>,
): SQLWrapper[] {
  const { projectId, version, status, epochSecs } = projectVersions
  const { listingStatus } = projects
  const isOfVersion = sql`${projectId} = ${projects.projectId}`
  const isPublished = isPublishedAs(projectVersions)
  const isRegistered = sql`EXISTS (SELECT 1 FROM ${projectVersions} WHERE ${isOfVersion} AND ${version} = 1
    AND ${status} <> 'rejected' AND ${isPublished})`
  const said = (member: string) => sql`(SELECT ${chainStates.state}->>${member} FROM ${chainStates}
    WHERE ${isState('version', sql`${projectId} || ':' || ${version}`)})`
  const effectiveAt = effectiveTime(beacon_offset_secs)
  const moveProject = (from: ListingStatus, to: ListingStatus, condition: SQL) =>
    build
      .update(projects)
      .set({ listingStatus: to })
      .where(
        sql`${listingStatus} = ${from} AND ${projects.projectId} IN (${projectIds}) AND ${guard} AND ${condition}`,
      )
  const moveVersions = (from: VersionState, change: Partial<VersionColumns>, condition: SQL) =>
    build
      .update(projectVersions)
      .set(change)
      .where(sql`${condition} AND ${status} = ${from} AND ${projectId} IN (${projectIds}) AND ${guard}`)
  const isSubmitted = sql`EXISTS (SELECT 1 FROM ${projects} WHERE ${isOfVersion} AND ${listingStatus} = 'submitted')`
  const isBeyond = sql`EXISTS (SELECT 1 FROM ${projects} WHERE ${isOfVersion} AND ${listingStatus} <> 'submitted')`
  const published = {
    ...{ publishedAt: said('published_at'), publishTx: said('published_tx'), effectiveAt },
    effectiveEpoch: sql`${effectiveAt} / ${epochSecs}`,
  }
  const unpublished = { publishedAt: null, publishTx: null, effectiveAt: null, effectiveEpoch: null }
  return [
    moveProject('submitted', 'pending_review', isRegistered),
    moveProject('pending_review', 'submitted', sql`NOT ${isRegistered}`),
    moveVersions('submitted', { status: 'active' }, sql`${version} = 1 AND ${isBeyond}`),
    moveVersions('active', { status: 'submitted' }, sql`${version} = 1 AND ${isSubmitted}`),
    moveVersions('submitted', { status: 'registered', ...published }, sql`${version} > 1 AND ${isPublished}`),
    moveVersions(
      'registered',
      { status: 'submitted', ...unpublished },
      sql`${version} > 1 AND NOT ${isPublished}`,
    ),
  ]
}

/**
 * When a published version takes effect: the first time at which epochs of it and of the version before it begin, and whose
 * snapshot cannot have been built yet (protocol section 6.3), but not before that version does. The times of all versions are counted
 * from the first one on, so the result depends neither on what was in force at the submission nor on which events are indexed together. One
 * that was published before its submission counts from that.
 */
function effectiveTime(beaconOffsetSecs: number): SQL {
  const { projectId, version } = projectVersions
  const other = alias(projectVersions, 'other')
  const said = sql`(SELECT ${chainStates.state}->>'published_at' FROM ${chainStates}
    WHERE ${isState('version', sql`${projectId} || ':' || ${other.version}`)})`
  // The common multiples of two lengths are lengths as well.
  const common = sql`(SELECT min(value) FROM json_each(${JSON.stringify(epochLengths)})
    WHERE value % later.secs = 0 AND value % begun.secs = 0)`
  // Written out, because a bound number is a float to the database, and the division has to be of integers.
  const earliest = sql`max(later.at + ${sql.raw(String(beaconOffsetSecs))}, begun.at - 1)`
  return sql`(WITH RECURSIVE
    published(turn, at, secs) AS (
      SELECT row_number() OVER (ORDER BY ${other.version}), max(${said}, ${other.submittedAt}), ${other.epochSecs}
      FROM ${projectVersions} AS other WHERE ${other.projectId} = ${projectId} AND ${other.version} > 1
        AND ${other.version} <= ${version} AND ${other.status} <> 'rejected' AND ${isPublishedAs(other)}),
    begun(turn, at, secs) AS (
      SELECT 0, 0, ${other.epochSecs} FROM ${projectVersions} AS other
      WHERE ${other.projectId} = ${projectId} AND ${other.version} = 1 AND ${other.status} <> 'rejected'
      UNION ALL
      SELECT later.turn, (${earliest} / ${common} + 1) * ${common}, later.secs
      FROM begun JOIN published AS later ON later.turn = begun.turn + 1)
    SELECT at FROM begun ORDER BY turn DESC LIMIT 1)`
}

type VersionState = (typeof versionStates)[number]
type VersionColumns = SQLiteUpdateSetSource<typeof projectVersions>

/**
 * Counts again the bonded subscriptions of each project that one of them changed in. @param subscriptionIds - The subscriptions whose
 * events came or went; their states are written already.
 */
export const minersEffect = (subscriptionIds: SQL, guard: SQL) =>
  minersOf(
    sql`SELECT ${subscriptions.projectId} FROM ${subscriptions}
      WHERE ${subscriptions.subscriptionId} IN (${subscriptionIds})`,
    guard,
  )

/**
 * Counts again the bonded subscriptions of projects, in all and by the class of their device: lists sort by the first, and
 * a project of thousands must not be counted whenever it is read. When a device changes its class, a trigger follows.
 */
export const minersOf = (projectIds: SQL, guard: SQL) =>
  build
    .update(projects)
    .set({
      // A view, which the builder does not know.
      miners: sql`(SELECT count(*) FROM bonded_subscriptions AS b WHERE b.project_id = ${projects.projectId})`,
      devicesByClass: sql`(SELECT json_group_object(class, devices) FROM (
        SELECT coalesce(${devices.class}, 'unknown') AS class, count(*) AS devices
        FROM bonded_subscriptions AS b LEFT JOIN ${devices} ON ${devices.nodeId} = b.node_id
        WHERE b.project_id = ${projects.projectId} GROUP BY 1))`,
    })
    .where(sql`${projects.projectId} IN (${projectIds}) AND ${guard}`)
