import { and, eq, sql } from 'drizzle-orm'
import type { FixedParams } from '../../protocol/identity/index.ts'
import type { ProjectManifest, Tier } from '../../protocol/manifest/index.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { boundaryColumns } from './project-row.ts'
import { putInForce } from './project-versions.ts'
import type { Submission } from './projects.ts'
import { registryEffects } from './registry-effects.ts'
import { projects, projectVersions } from './schema/index.ts'
import { insertFrom } from './statements.ts'

export interface NextVersion extends Omit<Submission, 'developerName'> {
  /** The version in force. */
  current: ProjectManifest
  tiersChanged: readonly Tier[]
}

/** Versions after the first one, as developers submit them. */
export class VersionSubmissions extends Store {
  readonly #params: FixedParams

  constructor(db: Database, params: FixedParams) {
    super(db)
    this.#params = params
  }

  /**
   * Stores the version after the latest one, and puts it in force at once when the consensus stays. If several race, the unique
   * number accepts one. Its developer may have published it already: then it waits for its epoch at once.
   *
   * @returns `exists` also if meanwhile another consensus came into force or was published.
   */
  async submit(next: NextVersion, now: number): Promise<'created' | 'exists'> {
    const { projectId, current, manifest, canonical, hashes, signature, token, tiersChanged } = next
    const { version, previous } = manifest
    const { manifest_hash: manifestHash, consensus_hash: consensusHash } = hashes
    const ofProject = eq(projectVersions.projectId, projectId)
    const before = sql`SELECT 1 FROM ${projectVersions} WHERE ${ofProject}
      AND ${projectVersions.version} = ${version - 1} AND ${projectVersions.manifestHash} = ${previous}
      AND ${projectVersions.status} <> 'rejected'`
    const changesRules = tiersChanged.includes('consensus')
    const staysSame = sql`EXISTS (SELECT 1 FROM ${projects} WHERE ${projects.projectId} = ${projectId}
      AND ${projects.consensusHash} = ${consensusHash}) AND NOT EXISTS (SELECT 1 FROM ${projectVersions}
      WHERE ${ofProject} AND ${projectVersions.status} = 'registered' AND ${projectVersions.consensusHash} <> ${consensusHash})`
    const mine = and(
      ofProject,
      eq(projectVersions.version, version),
      eq(projectVersions.manifestHash, manifestHash),
      eq(projectVersions.status, 'submitted'),
    )
    const results = await batch(this.db, [
      insertFrom(
        projectVersions,
        {
          ...{ projectId, version, manifestHash, consensusHash, manifest: canonical, signature, token },
          ...{ status: 'submitted', tiersChanged, submittedAt: now },
          ...boundaryColumns(current, manifest),
        },
        sql`WHERE EXISTS (${before}) AND ${changesRules ? sql`true` : staysSame}`,
      ).onConflictDoNothing(),
      ...(changesRules
        ? registryEffects(sql`SELECT ${projectId}`, sql`true`, this.#params)
        : putInForce(this.db, { projectId, version, manifest, hashes, token }, mine)),
    ])
    return isChanged(results[0]) ? 'created' : 'exists'
  }
}
