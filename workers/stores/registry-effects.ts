import { type SQL, sql } from 'drizzle-orm'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { chainStates, devices, projects, projectVersions, subscriptions } from './schema.ts'

/**
 * Brings the hub's own records of projects in step with what the registry says of them, forward and back.
 *
 * What the registry has counts only with the manifest that was submitted here: a developer may register another one.
 * A version that is in force stays so: its epoch begins at least `beacon_offset_secs` after its event, when that is final.
 *
 * @param changed - JSON list of the projects whose events came or went; their states are written already.
 */
export function registryEffects(changed: string, guard: SQL): SQL[] {
  const isChanged = sql`project_id IN (SELECT value FROM json_each(${changed})) AND ${guard}`
  const said = sql`${chainStates} AS s WHERE s.kind = 'project'`
  const ofProject = sql`${said} AND s.subject = ${projects.projectId}`
  const ofVersion = sql`${said} AND s.subject = ${projectVersions.projectId}`
  const isRegistered = sql`EXISTS (SELECT 1 FROM ${ofProject}
    AND (s.state->>'version' > 1 OR s.state->>'manifest_hash' = ${projects.manifestHash}))`
  const isPublished = sql`EXISTS (SELECT 1 FROM ${ofVersion}
    AND s.state->>'version' = version AND s.state->>'manifest_hash' = manifest_hash)`
  const wasPublished = sql`EXISTS (SELECT 1 FROM ${ofVersion} AND s.state->>'version' >= version)`
  const publishedAt = sql`(SELECT s.state->>'published_at' FROM ${ofVersion})`
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
        publish_tx = (SELECT s.state->>'published_tx' FROM ${ofVersion}),
        effective_at = ${effectiveAt}, effective_epoch = ${effectiveAt} / epoch_secs
      WHERE version > 1 AND status = 'submitted' AND ${isChanged} AND ${isPublished}`,
    sql`UPDATE ${projectVersions} SET status = 'submitted', published_at = NULL, publish_tx = NULL,
        effective_at = NULL, effective_epoch = NULL
      WHERE version > 1 AND status = 'registered' AND ${isChanged} AND NOT ${wasPublished}`,
  ]
}

/**
 * Counts again the bonded subscriptions of each project that one of them changed in.
 *
 * @param changed - JSON list of the subscriptions whose events came or went; their states are written already.
 */
export const minersEffect = (changed: string, guard: SQL): SQL =>
  minersOf(
    sql`SELECT s.project_id FROM ${subscriptions} AS s
      WHERE s.subscription_id IN (SELECT value FROM json_each(${changed}))`,
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
