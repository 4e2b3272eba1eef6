import type { DatabaseSync } from 'node:sqlite'
import type { Evidence } from '../../../../protocol/slashing/index.ts'

/** Evidence of a round that is final, which the hub has not taken yet. */
export interface EvidenceToPost {
  readonly id: number
  readonly evidence: Evidence
  /** When the round agreed, as this node judged it; null when it judged it not. */
  readonly agreedAt: number | null
  /** How often the hub refused it. */
  readonly failures: number
}

/** What became of evidence on its way to the hub. */
export interface EvidencePostStore {
  /** In the order in which it was kept, after an id. */
  readonly waiting: (after: number, limit: number) => readonly EvidenceToPost[]
  /** Counts a refusal; a last one ends it. */
  readonly refused: (id: number, isLast: boolean) => void
  /** Never sent, for it may be this node that is wrong. */
  readonly withhold: (id: number) => void
}

interface Row {
  readonly id: number
  readonly evidence: string
  readonly agreedAt: number | null
  readonly failures: number
}

export function evidencePostStore(db: DatabaseSync): EvidencePostStore {
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
    waiting: (after, limit) =>
      (waiting.all(after, limit) as unknown as Row[]).map((row) => ({
        ...row,
        evidence: JSON.parse(row.evidence) as Evidence,
      })),
    refused: (id, isLast) => void refused.run(id, isLast ? 'refused' : 'waiting'),
    withhold: (id) => void withhold.run(id),
  }
}
