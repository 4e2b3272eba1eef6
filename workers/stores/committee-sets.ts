import { type SQL, sql } from 'drizzle-orm'
import {
  type Candidate,
  findSnapshotEntry,
  readSnapshotDocument,
  type Snapshot,
  type SnapshotDocument,
  type SnapshotEntry,
  type SnapshotOf,
} from '../../protocol/committees/index.ts'
import { unavailable } from '../errors.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { committeeSets, epochsWithoutSet } from './schema/index.ts'
import { generationOfEpochRow } from './validators.ts'

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
}

export type NewSet = Pick<CommitteeSet, 'projectId' | 'epoch' | 'epochSecs' | 'committee' | 'builtAt'>

const objectKey = (setHash: string): string => `committee-sets/${setHash}`

/**
 * Whether a quorum of the validators of the epoch has attested the set `s`. What a key signed before it was ended counts, and
 * a key that was ended does not lower the quorum. Without a generation there is no quorum.
 */
const valid = sql`(SELECT coalesce(sum(a.public_key IS NOT NULL AND (n.revoked_at IS NULL OR a.received_at < n.revoked_at)), 0)
    >= 2 * count(*) / 3 + 1
  FROM json_each(${generationOfEpochRow('s', 'document')}, '$.validators') AS v
  LEFT JOIN committee_set_attestations AS a
    ON a.project_id = s.project_id AND a.epoch = s.epoch AND a.public_key = v.value->>'public_key'
  LEFT JOIN nodes AS n ON n.node_id = v.value->>'node_id')`

/** The eligible set of each epoch: the record in D1, the snapshot in R2 under its hash. */
export class CommitteeSetStore extends Store {
  readonly #bucket: R2Bucket
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#bucket = bucket
  }

  async find(projectId: string, epoch: number): Promise<ReadSet | null> {
    const [row] = await this.db.all<SetRow>(sql`
        SELECT s.*, ${valid} AS valid,
          (SELECT json_group_array(json_object('publicKey', public_key, 'signature', signature))
            FROM (SELECT public_key, signature FROM committee_set_attestations
              WHERE project_id = s.project_id AND epoch = s.epoch ORDER BY public_key)) AS attestations
        FROM committee_sets AS s WHERE s.project_id = ${projectId} AND s.epoch = ${epoch}`)
    return row === undefined ? null : setOf(row)
  }

  /**
   * The set of an epoch once a quorum had attested it. Keys that are ended later do not take that back: what was drawn from the
   * set stays provable.
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
   * Stores a snapshot, then its record: a record never names bytes that are not there. Of several that were built for one
   * epoch the first record stays.
   */
  async insert(
    set: NewSet,
    { setHash, pieces, bytes, entries }: SnapshotDocument,
  ): Promise<'created' | 'exists'> {
    try {
      const { readable, writable } = new FixedLengthStream(bytes)
      await Promise.all([this.#bucket.put(objectKey(setHash), readable), writePieces(writable, pieces)])
    } catch (error) {
      throw unavailable('The storage of committee sets', error)
    }
    const { projectId, epoch, epochSecs, committee, builtAt } = set
    const [inserted] = await batch(this.db, [
      sql`INSERT INTO ${committeeSets}
          (project_id, epoch, epoch_secs, set_hash, bytes, entries, committee, built_at)
        VALUES (${projectId}, ${epoch}, ${epochSecs}, ${setHash}, ${bytes}, ${entries},
          ${JSON.stringify(committee)}, ${builtAt})
        ON CONFLICT DO NOTHING`,
    ])
    return isChanged(inserted) ? 'created' : 'exists'
  }

  /** The snapshot as canonical JSON. */
  async open(setHash: string): Promise<ReadableStream<Uint8Array>> {
    try {
      const object = await this.#bucket.get(objectKey(setHash))
      if (object) return object.body
    } catch (error) {
      throw unavailable('The storage of committee sets', error)
    }
    throw unavailable('The storage of committee sets', new Error(`no object for the set ${setHash}`))
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

  /** Keeps an attestation that was verified; the first of a validator stays. With the one that makes the quorum the set is attested. */
  async attest(
    { projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>,
    { publicKey, signature }: KeptAttestation,
    now: number,
  ): Promise<void> {
    await batch(this.db, [
      sql`INSERT INTO committee_set_attestations (project_id, epoch, public_key, signature, received_at)
        VALUES (${projectId}, ${epoch}, ${publicKey}, ${signature}, ${now}) ON CONFLICT DO NOTHING`,
      markAttested(projectId, epoch, now),
      forgetValid(projectId, epoch),
    ])
  }

  /** Counts again: an emergency generation may have changed who counts. */
  async count({ projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>, now: number): Promise<void> {
    await batch(this.db, [markAttested(projectId, epoch, now)])
  }

  /** Notes that an epoch has no attested set, after something was tried for it. The first note stays. */
  async noteMissing(
    { projectId, epoch, epochSecs }: Pick<CommitteeSet, 'projectId' | 'epoch' | 'epochSecs'>,
    now: number,
  ): Promise<void> {
    await batch(this.db, [
      sql`INSERT INTO ${epochsWithoutSet} (project_id, epoch, epoch_secs, noted_at)
        VALUES (${projectId}, ${epoch}, ${epochSecs}, ${now}) ON CONFLICT DO NOTHING`,
    ])
  }

  /** Takes such a note back. */
  async forgetMissing({ projectId, epoch }: Pick<CommitteeSet, 'projectId' | 'epoch'>): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM ${epochsWithoutSet} WHERE project_id = ${projectId} AND epoch = ${epoch}`,
    ])
  }

  /** Forgets epochs that are over. */
  async purgeMissing(now: number): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM ${epochsWithoutSet} WHERE (epoch + 1) * epoch_secs <= ${sql.raw(String(Math.floor(now)))}`,
    ])
  }

  /** Projects with a set of the epoch that runs which an emergency generation has taken the quorum of, in any order. */
  async projectsWithQuorumLost(now: number, limit: number): Promise<string[]> {
    const time = sql.raw(String(Math.floor(now)))
    const rows = await this.db.all<{ project_id: string }>(sql`
        SELECT p.project_id FROM projects AS p
        JOIN project_versions AS v ON v.project_id = p.project_id AND v.version = p.version
          AND v.status <> 'rejected'
        JOIN ${committeeSets} AS s ON s.project_id = p.project_id AND s.epoch = ${time} / v.epoch_secs
          AND s.attested_at IS NOT NULL
        WHERE p.listing_status IN ('listed', 'underfunded') AND NOT ${valid}
        ORDER BY random() LIMIT ${limit}`)
    return rows.map(({ project_id }) => project_id)
  }

  /** Projects that have committees and no set of the epoch that runs, in any order. */
  async projectsWithoutSet(now: number, limit: number): Promise<string[]> {
    // Written out, because a bound number is a float to the database, and the division has to be of integers.
    const time = sql.raw(String(Math.floor(now)))
    const rows = await this.db.all<{ project_id: string }>(sql`
        SELECT p.project_id FROM projects AS p
        JOIN project_versions AS v ON v.project_id = p.project_id AND v.version = p.version
          AND v.status <> 'rejected'
        WHERE p.listing_status IN ('listed', 'underfunded') AND NOT EXISTS (
          SELECT 1 FROM ${committeeSets} AS s
          WHERE s.project_id = p.project_id AND s.epoch = ${time} / v.epoch_secs)
        ORDER BY random() LIMIT ${limit}`)
    return rows.map(({ project_id }) => project_id)
  }
}

const candidateOf = ({ node_key, collateral, reputation }: SnapshotEntry): Candidate => ({
  node_key,
  collateral,
  reputation,
})

const markAttested = (projectId: string, epoch: number, now: number): SQL => sql`
  UPDATE committee_sets AS s SET attested_at = ${now}
  WHERE project_id = ${projectId} AND epoch = ${epoch} AND attested_at IS NULL AND ${valid}`

/** The note that an epoch lacks its set goes with the attestation that makes its quorum. */
const forgetValid = (projectId: string, epoch: number): SQL => sql`
  DELETE FROM ${epochsWithoutSet} WHERE project_id = ${projectId} AND epoch = ${epoch}
    AND EXISTS (SELECT 1 FROM committee_sets AS s WHERE s.project_id = ${projectId} AND s.epoch = ${epoch} AND ${valid})`

interface SetRow {
  project_id: string
  epoch: number
  epoch_secs: number
  set_hash: string
  bytes: number
  entries: number
  committee: string
  built_at: number
  attested_at: number | null
  valid: number
  attestations: string
}

const setOf = (row: SetRow): ReadSet => ({
  projectId: row.project_id,
  epoch: row.epoch,
  epochSecs: row.epoch_secs,
  setHash: row.set_hash,
  bytes: row.bytes,
  entries: row.entries,
  committee: JSON.parse(row.committee) as CommitteeSet['committee'],
  builtAt: row.built_at,
  attestedAt: row.attested_at,
  valid: row.valid === 1,
  attestations: JSON.parse(row.attestations) as KeptAttestation[],
})

async function writePieces(
  writable: WritableStream<Uint8Array>,
  pieces: readonly Uint8Array[],
): Promise<void> {
  const writer = writable.getWriter()
  for (const piece of pieces) await writer.write(piece)
  await writer.close()
}
