import { and, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import {
  type Candidate,
  findSnapshotEntry,
  readSnapshotDocument,
  type Snapshot,
  type SnapshotDocument,
  type SnapshotEntry,
  type SnapshotOf,
} from '../../protocol/committees/index.ts'
import type { FixedParams } from '../../protocol/identity/index.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { Files } from './files.ts'
import {
  committeeSetAttestations,
  committeeSets,
  epochsWithoutSet,
  nodes,
  projects,
  projectVersions,
} from './schema/index.ts'
import { build, insertFrom, isEpoch, isSameEpoch, listed } from './statements.ts'
import { generationOfEpoch } from './validators.ts'

export type CommitteeSet = typeof committeeSets.$inferSelect

export interface KeptAttestation {
  publicKey: string
  signature: string
}

/** A set with what validators say of it. */
export interface ReadSet extends CommitteeSet {
  attestations: readonly KeptAttestation[]
  /** Whether a quorum of the validators of its epoch has attested it. */
  valid: boolean
  /** Whether it is noted that the epoch has no attested set. */
  noted: boolean
}

export type NewSet = Pick<CommitteeSet, 'projectId' | 'epoch' | 'epochSecs' | 'committee' | 'builtAt'>

/**
 * Whether a quorum of the validators of the epoch has attested a set. An attestation from before its key was ended counts,
 * and a key that was ended does not lower the quorum. Without a generation there is no quorum.
 */
const validBy = (params: FixedParams): SQL => sql`(
  SELECT coalesce(sum(${committeeSetAttestations.publicKey} IS NOT NULL
    AND (${nodes.revokedAt} IS NULL OR ${committeeSetAttestations.receivedAt} < ${nodes.revokedAt})), 0)
      >= 2 * count(*) / 3 + 1
  FROM json_each(${generationOfEpoch(committeeSets, params)}, '$.validators') AS v
  LEFT JOIN ${committeeSetAttestations} ON ${isSameEpoch(committeeSetAttestations, committeeSets)}
    AND ${committeeSetAttestations.publicKey} = v.value->>'public_key'
  LEFT JOIN ${nodes} ON ${nodes.nodeId} = v.value->>'node_id')`

/** The eligible set of each epoch: the record in D1, the snapshot in R2 under its hash. */
export class CommitteeSetStore extends Store {
  /** Snapshots, and what validators said of sets whose epoch is long over. */
  readonly files: Files
  readonly #valid: SQL
  constructor(db: Database, bucket: R2Bucket, params: FixedParams) {
    super(db)
    this.#valid = validBy(params)
    this.files = new Files(bucket, 'committee-sets', 'The storage of committee sets', {
      readMs: 60_000,
      writeMs: 60_000,
    })
  }

  async find(projectId: string, epoch: number): Promise<ReadSet | null> {
    const { publicKey, signature } = committeeSetAttestations
    const signed = sql`SELECT ${publicKey}, ${signature} FROM ${committeeSetAttestations}
      WHERE ${isEpoch(committeeSetAttestations, projectId, epoch)}
      ORDER BY ${publicKey}`
    const attestations = sql`(
      SELECT json_group_array(json_object('publicKey', public_key, 'signature', signature)) FROM (${signed}))`
    const [row] = await this.db
      .select({
        ...getTableColumns(committeeSets),
        valid: sql<number>`${this.#valid}`,
        noted: sql<number>`EXISTS (SELECT 1 FROM ${epochsWithoutSet} WHERE ${isEpoch(epochsWithoutSet, projectId, epoch)})`,
        attestations: attestations.mapWith((text: string) => JSON.parse(text) as KeptAttestation[]),
      })
      .from(committeeSets)
      .where(isEpoch(committeeSets, projectId, epoch))
    if (row === undefined) return null
    const set = { ...row, valid: row.valid === 1, noted: row.noted === 1 }
    return set.filed === null ? set : { ...set, ...JSON.parse(await this.files.text(fileOf(set, set.filed))) }
  }

  /**
   * The set of an epoch once a quorum had attested it. Keys that are ended later do not take that back: what was drawn from the set stays provable.
   */
  async findAttested(projectId: string, epoch: number): Promise<ReadSet | null> {
    const set = await this.find(projectId, epoch)
    return set === null || set.attestedAt === null ? null : set
  }

  /** The snapshot of an epoch once a quorum had attested it. */
  async attested(projectId: string, epoch: number): Promise<{ snapshot: Snapshot; setHash: string } | null> {
    const set = await this.findAttested(projectId, epoch)
    return set && { snapshot: await this.readSnapshot(set.setHash), setHash: set.setHash }
  }

  /**
   * Stores a snapshot, then its record: a record never names bytes that are not there. If several are built for one epoch,
   * the first record stays.
   */
  async insert(
    set: NewSet,
    { setHash, pieces, bytes, entries }: SnapshotDocument,
  ): Promise<'created' | 'exists'> {
    await this.files.putPieces(setHash, pieces, bytes)
    const inserted = await this.db
      .insert(committeeSets)
      .values({ ...set, setHash, bytes, entries })
      .onConflictDoNothing()
    return isChanged(inserted) ? 'created' : 'exists'
  }

  async open(setHash: string): Promise<ReadableStream<Uint8Array>> {
    return (await this.files.open(setHash)).body
  }

  async readSnapshot(setHash: string): Promise<Snapshot> {
    return readSnapshotDocument(await this.open(setHash), (entry) => entry)
  }

  /** The snapshot with no more of its entries than a draw depends on, which is a third. */
  async readCandidates(setHash: string): Promise<SnapshotOf<Candidate>> {
    return readSnapshotDocument(await this.open(setHash), candidateOf)
  }

  /** The same with the entry of a key. */
  async readCandidatesAnd(
    setHash: string,
    nodeKey: string,
  ): Promise<{ snapshot: SnapshotOf<Candidate>; entry: SnapshotEntry | null }> {
    let entry: SnapshotEntry | null = null
    const snapshot = await readSnapshotDocument(await this.open(setHash), (one) => {
      if (one.node_key === nodeKey) entry = one
      return candidateOf(one)
    })
    return { snapshot, entry }
  }

  /** The entry of a key, without reading the others. */
  async findEntry(setHash: string, nodeKey: string): Promise<SnapshotEntry | null> {
    return findSnapshotEntry(await this.open(setHash), nodeKey)
  }

  /**
   * Keeps attestations that were verified; the first of a validator stays. With the one that makes the quorum the set is attested.
   * @returns Whether it is.
   */
  async attest(
    { projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>,
    attestations: readonly KeptAttestation[],
    now: number,
  ): Promise<boolean> {
    const signed = listed(committeeSetAttestations, ['publicKey', 'signature'])
    const [, , , counted] = await batch(this.db, [
      insertFrom(
        committeeSetAttestations,
        { ...signed, projectId, epoch, receivedAt: now },
        sql`FROM json_each(${JSON.stringify(attestations)}) WHERE NOT EXISTS (
          SELECT 1 FROM ${committeeSets} WHERE ${isEpoch(committeeSets, projectId, epoch)} AND ${committeeSets.filed} IS NOT NULL)`,
      ).onConflictDoNothing(),
      this.#markAttested(projectId, epoch, now),
      // The note that an epoch lacks its set goes with the attestation that makes its quorum.
      this.db.delete(epochsWithoutSet).where(
        sql`${isEpoch(epochsWithoutSet, projectId, epoch)} AND EXISTS (
            SELECT 1 FROM ${committeeSets} WHERE ${isEpoch(committeeSets, projectId, epoch)} AND ${this.#valid})`,
      ),
      this.#countValid(projectId, epoch),
    ])
    return isValid(counted)
  }

  /** Counts again: an emergency generation may have changed who counts. @returns Whether a quorum has attested the set. */
  async count(
    { projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>,
    now: number,
  ): Promise<boolean> {
    const marked = this.#markAttested(projectId, epoch, now)
    const [, counted] = await batch(this.db, [marked, this.#countValid(projectId, epoch)])
    return isValid(counted)
  }

  /** Notes that an epoch has no attested set, after something was tried for it. The first note stays. */
  async noteMissing(
    { projectId, epoch, epochSecs }: Pick<CommitteeSet, 'projectId' | 'epoch' | 'epochSecs'>,
    now: number,
  ): Promise<void> {
    const row = { projectId, epoch, epochSecs, notedAt: now }
    await this.db.insert(epochsWithoutSet).values(row).onConflictDoNothing()
  }

  async forgetMissing({ projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>): Promise<void> {
    await this.db.delete(epochsWithoutSet).where(isEpoch(epochsWithoutSet, projectId, epoch))
  }

  async purgeMissing(now: number): Promise<void> {
    const { epoch, epochSecs } = epochsWithoutSet
    await this.db.delete(epochsWithoutSet).where(sql`(${epoch} + 1) * ${epochSecs} <= ${integer(now)}`)
  }

  /** Projects with a set of the epoch that runs which an emergency generation has taken the quorum of, in any order. */
  async projectsWithQuorumLost(now: number, limit: number): Promise<string[]> {
    return this.#projects(
      sql`EXISTS (SELECT 1 FROM ${committeeSets}
        WHERE ${isCurrentSet(now)} AND ${committeeSets.attestedAt} IS NOT NULL AND NOT ${this.#valid})`,
      limit,
    )
  }

  /** Projects that have committees and no set of the epoch that runs, in any order. */
  async projectsWithoutSet(now: number, limit: number): Promise<string[]> {
    return this.#projects(sql`NOT EXISTS (SELECT 1 FROM ${committeeSets} WHERE ${isCurrentSet(now)})`, limit)
  }

  #countValid(projectId: string, epoch: number) {
    return build
      .select({ valid: sql<number>`${this.#valid}`.as('valid') })
      .from(committeeSets)
      .where(isEpoch(committeeSets, projectId, epoch))
  }

  #markAttested(projectId: string, epoch: number, now: number) {
    return build
      .update(committeeSets)
      .set({ attestedAt: now })
      .where(and(isEpoch(committeeSets, projectId, epoch), isNull(committeeSets.attestedAt), this.#valid))
  }

  async #projects(condition: SQL, limit: number): Promise<string[]> {
    const rows = await this.db
      .select({ projectId: projects.projectId })
      .from(projects)
      .innerJoin(
        projectVersions,
        sql`${projectVersions.projectId} = ${projects.projectId} AND ${projectVersions.version} = ${projects.version}
          AND ${projectVersions.status} <> 'rejected'`,
      )
      .where(sql`${projects.listingStatus} IN ('listed', 'underfunded') AND ${condition}`)
      .orderBy(sql`random()`)
      .limit(limit)
    return rows.map(({ projectId }) => projectId)
  }
}

/** Its file of so many attestations: they are only ever added, so one of that number is always the same. */
export const fileOf = ({ projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>, count: number) =>
  `${projectId}/${epoch}/${count}`

/** Written out, because a bound number is a float to the database, and divisions have to be of integers. */
const integer = (value: number): SQL => sql.raw(String(Math.floor(value)))

/** The set of the epoch that runs, of a project whose version the statement has. */
const isCurrentSet = (now: number): SQL => sql`${committeeSets.projectId} = ${projects.projectId}
  AND ${committeeSets.epoch} = ${integer(now)} / ${projectVersions.epochSecs}`

const isValid = (counted: D1Result | undefined): boolean =>
  (counted?.results as { valid: number }[] | undefined)?.[0]?.valid === 1

const candidateOf = ({ node_key, collateral, reputation }: SnapshotEntry): Candidate => ({
  node_key,
  collateral,
  reputation,
})
