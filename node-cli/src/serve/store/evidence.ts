import type { DatabaseSync } from 'node:sqlite'
import { type Evidence, offenceKey } from '../../../../protocol/slashing/index.ts'

/** Evidence that can be posted to the hub. */
export interface KeptEvidence {
  /** Rises with each one that is kept. */
  readonly id: number
  readonly evidence: Evidence
  readonly createdAt: number
  /** When the hub answered that it has it; null before. */
  readonly postedAt: number | null
}

/** What proves offences: one record for each. */
export interface EvidenceStore {
  /** Keeps evidence, unless that of its offence is there. @returns Whether it is new. */
  readonly keep: (evidence: Evidence, now: number) => boolean
  /** Ids in the order in which it was kept, after an id. */
  readonly ids: (after: number, limit: number) => readonly number[]
  /** One piece of evidence, as JSON; null for an id that has none. */
  readonly text: (id: number) => string | null
  /** What the hub has not taken yet, the oldest first. */
  readonly unposted: (limit: number) => readonly KeptEvidence[]
  readonly markPosted: (id: number, now: number) => void
  readonly count: () => number
}

interface Row {
  readonly id: number
  readonly evidence: string
  readonly createdAt: number
  readonly postedAt: number | null
}

export function evidenceStore(db: DatabaseSync): EvidenceStore {
  const insert = db.prepare(
    'INSERT INTO evidence (offence, round_id, evidence, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const select = (where: string) =>
    db.prepare(
      `SELECT id, evidence, created_at AS createdAt, posted_at AS postedAt FROM evidence ${where} ORDER BY id LIMIT ?`,
    )
  const ids = db.prepare('SELECT id FROM evidence WHERE id > ? ORDER BY id LIMIT ?')
  const text = db.prepare('SELECT evidence FROM evidence WHERE id = ?')
  const unposted = select('WHERE posted_at IS NULL')
  const mark = db.prepare('UPDATE evidence SET posted_at = ? WHERE id = ? AND posted_at IS NULL')
  // Nothing is ever removed, so the last id is their number.
  const count = db.prepare('SELECT coalesce(max(id), 0) AS count FROM evidence')
  const read = (rows: unknown[]): KeptEvidence[] =>
    (rows as Row[]).map((row) => ({ ...row, evidence: JSON.parse(row.evidence) as Evidence }))
  return {
    keep: (evidence, now) => {
      const { changes } = insert.run(offenceKey(evidence), evidence.round_id, JSON.stringify(evidence), now)
      return Number(changes) === 1
    },
    ids: (after, limit) => (ids.all(after, limit) as { id: number }[]).map(({ id }) => id),
    text: (id) => (text.get(id) as { evidence: string } | undefined)?.evidence ?? null,
    unposted: (limit) => read(unposted.all(limit)),
    markPosted: (id, now) => void mark.run(now, id),
    count: () => (count.get() as { count: number }).count,
  }
}
