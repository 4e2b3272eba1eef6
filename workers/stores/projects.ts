import { and, desc, eq, getTableColumns, inArray, lt, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type ManifestHashes, type ProjectManifest, publicStatuses } from '../../protocol/manifest/index.ts'
import type { ChainState } from '../chain/projections.ts'
import type { ProjectIds, Wallet } from './caller.ts'
import { batch, isChanged, readRows, Store } from './database.ts'
import { boundaryColumns, manifestColumns, type Project } from './project-row.ts'
import { isPublishedAs } from './registry-effects.ts'
import { RowReader } from './rows.ts'
import { chainStates, projects, projectVersions, type Token } from './schema/index.ts'
import { insertFrom, isOneOf, prepared } from './statements.ts'

export type { Project } from './project-row.ts'
export type ProjectVersion = typeof projectVersions.$inferSelect

export interface ProjectRecord {
  project: Project
  /** The version in force. */
  current: ProjectVersion
  /** The newest version that waits for its publication on chain or for its epoch. */
  pending: Omit<ProjectVersion, 'manifest'> | null
  /** The state of the project in the registry; null until it is registered there. */
  registry: ChainState | null
  /** The state of the vault, from its events; null until it is created. */
  vault: ChainState | null
}

export interface ProjectOffer
  extends Pick<Project, 'projectId' | 'listingStatus' | 'minCollateral' | 'avgDailyReward'> {
  requirements: ProjectManifest['scheduling']['requirements']
}

export interface Submission {
  projectId: string
  manifest: ProjectManifest
  canonical: string
  hashes: ManifestHashes
  signature: string
  token: Token
  developerName: string
}

const { manifest: _, ...withoutManifest } = getTableColumns(projectVersions)
const pendingMembers = Object.keys(withoutManifest) as (keyof typeof withoutManifest)[]

/** Projects, each with the row that lists read and its first version. */
export class ProjectStore extends Store {
  async find(projectId: string): Promise<Project | null> {
    return (await this.db.select().from(projects).where(eq(projects.projectId, projectId)).get()) ?? null
  }

  /** Projects with a slug: public ones and `own`, or all of them. A slug is one project only of its developer. */
  async findIdsBySlug(slug: string, own: string | null, all: boolean, limit: number): Promise<string[]> {
    const { projectId: id, listingStatus, createdAt } = projects
    const isOwn = sql`${id} = ${own}`
    const rows = await this.db
      .select({ projectId: id })
      .from(projects)
      .where(
        and(eq(projects.slug, slug), all ? undefined : or(isOwn, inArray(listingStatus, publicStatuses))),
      )
      .orderBy(desc(isOwn), createdAt)
      .limit(limit)
    return rows.map(({ projectId }) => projectId)
  }

  /** One of these that is neither public nor the wallet's own, or that nobody has submitted; null if the wallet may see all of them. */
  async findHidden(projectIds: readonly string[], wallet: string): Promise<string | null> {
    const isVisible = or(eq(projects.developer, wallet), inArray(projects.listingStatus, publicStatuses))
    const rows = await this.db.all<{ projectId: string }>(sql`
      SELECT asked.value AS projectId FROM json_each(${JSON.stringify(projectIds)}) AS asked WHERE NOT EXISTS (
        SELECT 1 FROM ${projects} WHERE ${projects.projectId} = asked.value AND ${isVisible}) LIMIT 1`)
    return rows[0]?.projectId ?? null
  }

  /** The requirements of projects for a device, with their collateral and average reward. */
  async offers(projectIds: readonly string[]): Promise<Map<string, ProjectOffer>> {
    const { projectId, listingStatus, minCollateral, avgDailyReward } = projects
    const rows = await this.db
      .select({
        ...{ projectId, listingStatus, minCollateral, avgDailyReward },
        requirements: sql<string>`${projectVersions.manifest}->'$.scheduling.requirements'`,
      })
      .from(projects)
      .innerJoin(
        projectVersions,
        and(eq(projectVersions.projectId, projectId), eq(projectVersions.version, projects.version)),
      )
      .where(isOneOf(projectId, projectIds))
    return new Map(rows.map((row) => [row.projectId, { ...row, requirements: JSON.parse(row.requirements) }]))
  }

  async findRecord(projectId: string): Promise<ProjectRecord | null> {
    const [row] = await readRows<RecordRow>(this.db, readRecord({ projectId }))
    return row === undefined ? null : recordOf(row)
  }

  /**
   * Stores a first version. If several race for the same project, the primary key accepts one; a repeated manifest finds itself
   * stored. Its developer may have registered it already: then it awaits review at once.
   */
  async submit(submission: Submission, now: number): Promise<'created' | 'exists'> {
    const { projectId, manifest, canonical, hashes, signature, token, developerName } = submission
    const registered = isPublishedAs({
      projectId: sql`${projectId}`,
      version: sql`1`,
      manifestHash: sql`${hashes.manifest_hash}`,
      consensusHash: sql`${hashes.consensus_hash}`,
    })
    const results = await batch(this.db, [
      this.db
        .insert(projects)
        .values({
          projectId,
          developer: manifest.developer,
          slug: manifest.slug,
          listingStatus: sql`iif(${registered}, 'pending_review', 'submitted')`,
          createdAt: now,
          ordinal: sql`(SELECT coalesce(max(ordinal), 0) + 1 FROM projects)`,
          developerName,
          developerVerified: true,
          ...manifestColumns(manifest, hashes, token),
          reviewStatus: 'pending',
          reviewConditions: [],
          miners: 0,
          avgDailyReward: '0',
          earningsKey: '010',
          ratingSum: 0,
          ratingCount: 0,
          ratingX100: 0,
          trendingScore: 0,
          featured: false,
          devicesByClass: {},
        })
        .onConflictDoNothing(),
      insertFrom(
        projectVersions,
        {
          ...{ projectId, version: 1, manifest: canonical, signature, token, submittedAt: now },
          ...{ manifestHash: hashes.manifest_hash, consensusHash: hashes.consensus_hash },
          ...boundaryColumns(manifest, manifest),
          status: sql`iif(${registered}, 'active', 'submitted')`,
          tiersChanged: ['consensus', 'scheduling', 'listing'],
        },
        sql`FROM ${projects} WHERE ${projects.projectId} = ${projectId}
          AND ${projects.manifestHash} = ${hashes.manifest_hash}`,
      ).onConflictDoNothing(),
    ])
    return isChanged(results[0]) ? 'created' : 'exists'
  }

  /** Newest first, whatever their status; `limit` rows after `after`. A key may be for some of them only. */
  async listOwn(
    developer: Wallet,
    only: ProjectIds,
    after: number | undefined,
    limit: number,
  ): Promise<Project[]> {
    return this.db
      .select()
      .from(projects)
      .where(
        and(
          eq(projects.developer, developer),
          only === null
            ? undefined
            : sql`(${only} IS NULL OR ${projects.projectId} IN (SELECT value FROM json_each(${only})))`,
          after === undefined ? undefined : lt(projects.ordinal, after),
        ),
      )
      .orderBy(desc(projects.ordinal))
      .limit(limit)
  }
}

const projectRows = new RowReader(projects)
const currentRows = new RowReader(projectVersions, undefined, 'current_')
const pendingRows = new RowReader(projectVersions, pendingMembers, 'pending_')

/** One statement, whatever the record holds. Most requests about a project begin with it, so its text is made once. */
const readRecord = prepared(() => {
  const p = alias(projects, 'p')
  const [c, n, v] = [alias(projectVersions, 'c'), alias(projectVersions, 'n'), alias(projectVersions, 'v')]
  const [registry, vault] = [alias(chainStates, 'registry'), alias(chainStates, 'vault')]
  return sql`
    SELECT ${sql.raw([projectRows.select('p'), currentRows.select('c'), pendingRows.select('n')].join(', '))},
      ${registry.state} AS registry, ${vault.state} AS vault_state
    FROM ${projects} AS p
    JOIN ${projectVersions} AS c ON ${c.projectId} = ${p.projectId} AND ${c.version} = ${p.version} AND ${c.status} <> 'rejected'
    LEFT JOIN ${projectVersions} AS n ON ${n.id} = (SELECT ${v.id} FROM ${projectVersions} AS v WHERE ${v.projectId} = ${p.projectId}
      AND ${v.version} > ${p.version} AND ${v.status} <> 'rejected' ORDER BY ${v.version} DESC LIMIT 1)
    LEFT JOIN ${chainStates} AS registry ON ${registry.kind} = 'project' AND ${registry.subject} = ${p.projectId}
    LEFT JOIN ${chainStates} AS vault ON ${vault.kind} = 'vault' AND ${vault.subject} = ${p.vault}
    WHERE ${p.projectId} = ${sql.placeholder('projectId')}`
})

interface RecordRow extends Record<string, unknown> {
  pending_id: number | null
  registry: string | null
  vault_state: string | null
}

const recordOf = (row: RecordRow): ProjectRecord => ({
  project: projectRows.read(row),
  current: currentRows.read(row),
  pending: row.pending_id === null ? null : pendingRows.read(row),
  registry: stateOf(row.registry),
  vault: stateOf(row.vault_state),
})

const stateOf = (state: string | null): ChainState | null =>
  state === null ? null : (JSON.parse(state) as ChainState)
