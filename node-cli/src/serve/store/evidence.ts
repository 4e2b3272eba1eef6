import type { DatabaseSync } from 'node:sqlite'
import { type Evidence, offenceKey } from '../../../../protocol/slashing/index.ts'

/** Evidence of a round that is final, which the hub has not taken yet. */
export interface EvidenceToPost {
  readonly id: number
  readonly evidence: Evidence
  /** When the round agreed, as this node judged it; null when it judged it not. */
  readonly agreedAt: number | null
  /** How often the hub refused it. */
  readonly failures: number
}

/** The evidence of offences, one record for each, and its state on the way to the hub. */
export function evidenceStore(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO evidence (offence, round_id, evidence, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const ids = db.prepare('SELECT id FROM evidence WHERE id > ? ORDER BY id LIMIT ?')
  const text = db.prepare('SELECT evidence FROM evidence WHERE id = ?')
  const mark = db.prepare('UPDATE evidence SET posted_at = ? WHERE id = ? AND posted_at IS NULL')
  // Nothing is ever removed, so the last id is their number.
  const count = db.prepare('SELECT coalesce(max(id), 0) AS count FROM evidence')
  const waiting = db.prepare(
    `SELECT evidence.id, evidence, json_extract(rounds.judgement, '$.agreed_at') AS agreedAt,
       coalesce(failures, 0) AS failures
     FROM evidence
     JOIN rounds ON rounds.round_id = evidence.round_id AND rounds.final IS NOT NULL
     LEFT JOIN evidence_posts ON evidence_id = evidence.id
     WHERE evidence.id > ? AND posted_at IS NULL AND coalesce(status, 'waiting') = 'waiting'
     ORDER BY evidence.id LIMIT ?`,
  )
  const refused = db.prepare(
    `INSERT INTO evidence_posts VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET status = excluded.status, failures = failures + 1`,
  )
  const withhold = db.prepare(
    "INSERT INTO evidence_posts VALUES (?, 'withheld', 0) ON CONFLICT DO UPDATE SET status = 'withheld'",
  )
  return {
    /** Keeps evidence, unless that of its offence is there. @returns Whether it is new. */
    keep: (evidence: Evidence, now: number): boolean => {
      const { changes } = insert.run(offenceKey(evidence), evidence.round_id, JSON.stringify(evidence), now)
      return Number(changes) === 1
    },
    /** Ids in the order in which it was kept, after an id. */
    ids: (after: number, limit: number): readonly number[] =>
      (ids.all(after, limit) as { id: number }[]).map(({ id }) => id),
    /** One piece of evidence, as JSON; null for an id that has none. */
    text: (id: number): string | null => (text.get(id) as { evidence: string } | undefined)?.evidence ?? null,
    count: (): number => (count.get() as { count: number }).count,
    /** Evidence after an id that may still be sent to the hub, in the order in which it was kept. */
    waiting: (after: number, limit: number): readonly EvidenceToPost[] =>
      (waiting.all(after, limit) as unknown as (EvidenceToPost & { evidence: string })[]).map((row) => ({
        ...row,
        evidence: JSON.parse(row.evidence) as Evidence,
      })),
    markPosted: (id: number, now: number) => void mark.run(now, id),
    /** Counts a refusal; a last one ends it. */
    refused: (id: number, isLast: boolean) => void refused.run(id, isLast ? 'refused' : 'waiting'),
    /** Never sent, for it may be this node that is wrong. */
    withhold: (id: number) => void withhold.run(id),
  }
}
