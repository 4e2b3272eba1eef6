import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { chainStates, devices, projects, projectVersions, subscriptions } from './schema/index.ts'

/** Where a statement finds a version. A bound number is a float to the database, so the number is a column or written out. */
type VersionTerms = Record<'projectId' | 'version' | 'manifestHash' | 'consensusHash', SQLWrapper>

/**
 * Whether the registry has a version with the hashes that were submitted here. A developer may register others, and a
 * later version says nothing about this one.
 */
export const isPublishedAs = (of: VersionTerms): SQL =>
  sql`EXISTS (SELECT 1 FROM ${chainStates} AS s WHERE s.kind = 'version'
    AND s.subject = ${of.projectId} || ':' || ${of.version}
    AND s.state->>'manifest_hash' = ${of.manifestHash} AND s.state->>'consensus_hash' = ${of.consensusHash})`

/**
 * Brings the hub's own records of projects in step with what the registry says of them, forward and back. A version that
 * is in force stays so: its epoch begins at least `beacon_offset_secs` after its event, when that is final.
 *
 * @param projectIds - The projects whose events came or went; their states are written already.
 */
export function registryEffects(projectIds: SQL, guard: SQL): SQL[] {
  const isChanged = sql`project_id IN (${projectIds}) AND ${guard}`
  const isPublished = isPublishedAs(projectVersions)
  const isRegistered = sql`EXISTS (SELECT 1 FROM ${projectVersions}
    WHERE ${projectVersions.projectId} = ${projects.projectId} AND ${projectVersions.version} = 1
    AND ${projectVersions.status} <> 'rejected' AND ${isPublished})`
  const said = (member: string) =>
    sql`(SELECT s.state->>${member} FROM ${chainStates} AS s WHERE s.kind = 'version'
      AND s.subject = ${projectVersions.projectId} || ':' || ${projectVersions.version})`
  const publishedAt = said('published_at')
  // Written out, because a bound number is a float to the database, and the division has to be of integers.
  const beaconOffset = sql.raw(String(defaultNetworkParams.beacon_offset_secs))
  // The first boundary of both epoch lengths whose snapshot cannot have been built yet (protocol section 6.3).
  const effectiveAt = sql`((${publishedAt} + ${beaconOffset}) / boundary_secs + 1) * boundary_secs`
  return [
    sql`UPDATE ${projects} SET listing_status = 'pending_review'
      WHERE listing_status = 'submitted' AND ${isChanged} AND ${isRegistered}`,
    sql`UPDATE ${projects} SET listing_status = 'submitted'
      WHERE listing_status = 'pending_review' AND ${isChanged} AND NOT ${isRegistered}`,
    sql`UPDATE ${projectVersions} SET status = 'active'
      WHERE version = 1 AND status = 'submitted' AND ${isChanged}
      AND EXISTS (SELECT 1 FROM ${projects} WHERE ${projects.projectId} = ${projectVersions.projectId}
        AND listing_status <> 'submitted')`,
    sql`UPDATE ${projectVersions} SET status = 'submitted'
      WHERE version = 1 AND status = 'active' AND ${isChanged}
      AND EXISTS (SELECT 1 FROM ${projects} WHERE ${projects.projectId} = ${projectVersions.projectId}
        AND listing_status = 'submitted')`,
    sql`UPDATE ${projectVersions} SET status = 'registered', published_at = ${publishedAt},
        publish_tx = ${said('published_tx')},
        effective_at = ${effectiveAt}, effective_epoch = ${effectiveAt} / epoch_secs
      WHERE version > 1 AND status = 'submitted' AND ${isChanged} AND ${isPublished}`,
    sql`UPDATE ${projectVersions} SET status = 'submitted', published_at = NULL, publish_tx = NULL,
        effective_at = NULL, effective_epoch = NULL
      WHERE version > 1 AND status = 'registered' AND ${isChanged} AND NOT ${isPublished}`,
  ]
}

/**
 * Counts again the bonded subscriptions of each project that one of them changed in.
 *
 * @param subscriptionIds - The subscriptions whose events came or went; their states are written already.
 */
export const minersEffect = (subscriptionIds: SQL, guard: SQL): SQL =>
  minersOf(
    sql`SELECT s.project_id FROM ${subscriptions} AS s WHERE s.subscription_id IN (${subscriptionIds})`,
    guard,
  )

/**
 * Counts again the bonded subscriptions of projects, in all and by the class of their device: lists sort by the first, and
 * a project of thousands must not be counted whenever it is read. When a device changes its class, a trigger follows.
 */
export const minersOf = (projectIds: SQL, guard: SQL): SQL => sql`
  UPDATE ${projects} SET
    miners = (SELECT count(*) FROM bonded_subscriptions AS b WHERE b.project_id = ${projects.projectId}),
    devices_by_class = (SELECT json_group_object(class, devices) FROM (
      SELECT coalesce(d.class, 'unknown') AS class, count(*) AS devices
      FROM bonded_subscriptions AS b LEFT JOIN ${devices} AS d ON d.node_id = b.node_id
      WHERE b.project_id = ${projects.projectId} GROUP BY 1))
  WHERE project_id IN (${projectIds}) AND ${guard}`
