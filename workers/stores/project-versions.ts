import { and, asc, desc, eq, getTableColumns, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { type ProjectManifest, type ProjectRules, publicStatuses } from '../../protocol/manifest/index.ts'
import { batch, type Database, Store } from './database.ts'
import { manifestColumns } from './project-row.ts'
import type { ProjectVersion } from './projects.ts'
import { projects, projectVersions, type Token } from './schema/index.ts'
import { isOneOf } from './statements.ts'

export type VersionSummary = Omit<ProjectVersion, 'manifest'>

export interface VersionInForce {
  projectId: string
  version: number
  manifest: ProjectManifest
  hashes: Record<'manifest_hash' | 'consensus_hash', string>
  token: Token
}

const { manifest: _, ...summaryColumns } = getTableColumns(projectVersions)

const wasPublished = sql`${projectVersions.status} IN ('registered', 'active', 'superseded')`

export class ProjectVersionStore extends Store {
  async find(projectId: string, version: number): Promise<ProjectVersion | null> {
    const rows = await this.db
      .select()
      .from(projectVersions)
      .where(and(eq(projectVersions.projectId, projectId), eq(projectVersions.version, version)))
      .orderBy(desc(projectVersions.id))
      .limit(1)
    return rows[0] ?? null
  }

  /** Every consensus that versions of these projects have: `project_id:consensus_hash`. */
  async consensusKeys(projectIds: readonly string[]): Promise<Set<string>> {
    const { projectId, consensusHash } = projectVersions
    const rows = await this.db
      .selectDistinct({ projectId, consensusHash })
      .from(projectVersions)
      .where(isOneOf(projectId, projectIds))
    return new Set(rows.map((row) => `${row.projectId}:${row.consensusHash}`))
  }

  /** The consensus with this hash that the project has, or had, in force or published; null if no version has it. */
  async consensus(projectId: string, consensusHash: string): Promise<ProjectRules | null> {
    const [row] = await this.db
      .select({ manifest: projectVersions.manifest })
      .from(projectVersions)
      .where(
        and(
          eq(projectVersions.projectId, projectId),
          eq(projectVersions.consensusHash, consensusHash),
          wasPublished,
        ),
      )
      .limit(1)
    return row ? (JSON.parse(row.manifest) as ProjectManifest).consensus : null
  }

  /**
   * The version whose consensus held at a time; null if the project is not public. Versions that change nothing of the
   * consensus have no time of their own, and the first one holds from the beginning. If the times of two versions have come,
   * the later version holds, whichever time is the later one.
   */
  async consensusAt(projectId: string, time: number): Promise<ProjectVersion | null> {
    const rows = await this.db
      .select()
      .from(projectVersions)
      .where(
        and(
          eq(projectVersions.projectId, projectId),
          wasPublished,
          sql`(${projectVersions.version} = 1 OR ${projectVersions.effectiveAt} <= ${time})`,
          sql`EXISTS (SELECT 1 FROM ${projects} WHERE ${projects.projectId} = ${projectId}
            AND ${inArray(projects.listingStatus, publicStatuses)})`,
        ),
      )
      .orderBy(desc(projectVersions.version))
      .limit(1)
    return rows[0] ?? null
  }

  /** Published versions that wait for their epoch, the earliest first. */
  async waiting(projectId: string): Promise<ProjectVersion[]> {
    return this.db
      .select()
      .from(projectVersions)
      .where(and(eq(projectVersions.projectId, projectId), sql`${projectVersions.status} = 'registered'`))
      .orderBy(asc(projectVersions.version))
  }

  /** The highest that is not rejected: what the next one continues. */
  async latest(projectId: string): Promise<VersionSummary | null> {
    const rows = await this.db
      .select(summaryColumns)
      .from(projectVersions)
      .where(and(eq(projectVersions.projectId, projectId), sql`${projectVersions.status} <> 'rejected'`))
      .orderBy(desc(projectVersions.version))
      .limit(1)
    return rows[0] ?? null
  }

  async list(projectId: string, after: number | undefined, limit: number): Promise<VersionSummary[]> {
    return this.db
      .select(summaryColumns)
      .from(projectVersions)
      .where(
        and(
          eq(projectVersions.projectId, projectId),
          after === undefined ? undefined : lt(projectVersions.id, after),
        ),
      )
      .orderBy(desc(projectVersions.id))
      .limit(limit)
  }

  /** Puts published versions in force whose epoch has begun. Done twice it changes nothing more. */
  async activateDue(now: number, limit: number): Promise<void> {
    const due = await this.db
      .select()
      .from(projectVersions)
      .where(and(sql`${projectVersions.status} = 'registered'`, lte(projectVersions.effectiveAt, now)))
      .orderBy(asc(projectVersions.effectiveAt), asc(projectVersions.version))
      .limit(limit)
    for (const row of due) await this.activate(row)
  }

  async activate(row: ProjectVersion): Promise<void> {
    const { id, projectId, version, manifestHash, consensusHash } = row
    const manifest = JSON.parse(row.manifest) as ProjectManifest
    const hashes = { manifest_hash: manifestHash, consensus_hash: consensusHash }
    await batch(
      this.db,
      putInForce(
        this.db,
        { projectId, version, manifest, hashes, token: row.token },
        and(eq(projectVersions.id, id), eq(projectVersions.status, 'registered')),
      ),
    )
  }
}

/** The statements that end every earlier version and begin this one, while `waiting` finds it. */
export function putInForce(
  db: Database,
  { projectId, version, manifest, hashes, token }: VersionInForce,
  waiting: SQL | undefined,
) {
  const found = sql`EXISTS (SELECT 1 FROM ${projectVersions} WHERE ${waiting})`
  return [
    db
      .update(projects)
      .set(manifestColumns(manifest, hashes, token))
      .where(and(eq(projects.projectId, projectId), lt(projects.version, version), found)),
    db
      .update(projectVersions)
      .set({ status: 'superseded' })
      .where(
        and(
          eq(projectVersions.projectId, projectId),
          lt(projectVersions.version, version),
          inArray(projectVersions.status, ['submitted', 'registered', 'active']),
          found,
        ),
      ),
    db.update(projectVersions).set({ status: 'active' }).where(waiting),
  ]
}
