import type { DatabaseSync } from 'node:sqlite'
import type { Attestation } from '../../../../protocol/committees/index.ts'

export interface KeptSet {
  readonly setHash: string
  readonly projectId: string
  readonly epoch: number
  readonly epochSecs: number
  /** Canonical JSON. */
  readonly snapshot: Uint8Array
}

export interface GivenAttestation {
  readonly setHash: string
  readonly attestation: Attestation
}

/** How long snapshots are kept, in seconds: longer than any round or dispute of their epoch needs them. */
const keptSeconds = 30 * 86_400

type SetName = Pick<KeptSet, 'setHash' | 'projectId' | 'epoch'>

/** The snapshots that committees are drawn from, and what this node attested. */
export function setStore(db: DatabaseSync) {
  const snapshot = db.prepare('SELECT snapshot FROM sets WHERE set_hash = ?')
  const known = db.prepare('SELECT 1 FROM sets WHERE set_hash = ?')
  const bytes = db.prepare('SELECT length(snapshot) AS bytes FROM sets WHERE set_hash = ?')
  const insert = db.prepare('INSERT INTO sets VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const length = db.prepare(
    'SELECT epoch_secs AS epochSecs FROM sets WHERE set_hash = ? AND project_id = ? AND epoch = ?',
  )
  const purge = db.prepare('DELETE FROM sets WHERE kept_at < ?')
  const given = db.prepare(
    'SELECT set_hash AS setHash, attestation FROM attestations WHERE project_id = ? AND epoch = ?',
  )
  const give = db.prepare('INSERT INTO attestations VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  // Attestations stay for ever, and anybody asks for their number: they are read once.
  let { count } = db.prepare('SELECT count(*) AS count FROM attestations').get() as { count: number }
  const attested = (projectId: string, epoch: number): GivenAttestation | null => {
    const row = given.get(projectId, epoch) as { setHash: string; attestation: string } | undefined
    return row === undefined
      ? null
      : { setHash: row.setHash, attestation: JSON.parse(row.attestation) as Attestation }
  }
  return {
    /** The canonical JSON of a snapshot, or null. */
    snapshot: (setHash: string): Uint8Array | null =>
      (snapshot.get(setHash) as { snapshot: Uint8Array } | undefined)?.snapshot ?? null,
    /** The bytes of a snapshot; infinite for one that is not kept. */
    bytes: (setHash: string): number =>
      (bytes.get(setHash) as { bytes: number } | undefined)?.bytes ?? Number.POSITIVE_INFINITY,
    has: (setHash: string): boolean => known.get(setHash) !== undefined,
    /** The length of the epoch that a set is for; null if no set of this hash is kept for this project and epoch. */
    epochSecs: ({ setHash, projectId, epoch }: SetName): number | null =>
      (length.get(setHash, projectId, epoch) as { epochSecs: number } | undefined)?.epochSecs ?? null,
    /** Keeps a snapshot whose hash was checked, and drops those of long ago. */
    keep: (set: KeptSet, now: number): void => {
      insert.run(set.setHash, set.projectId, set.epoch, set.epochSecs, set.snapshot, now)
      purge.run(now - keptSeconds)
    },
    attested,
    /**
     * Stores what this node attests for a project and epoch, which is on the disk when this returns.
     *
     * @returns The attestation of the epoch: this one, or the one that was given before.
     */
    attest: (
      { setHash, projectId, epoch }: SetName,
      attestation: Attestation,
      now: number,
    ): GivenAttestation => {
      count += Number(give.run(projectId, epoch, setHash, JSON.stringify(attestation), now).changes)
      return attested(projectId, epoch)!
    },
    /** How many sets this node attested. */
    count: (): number => count,
  }
}
