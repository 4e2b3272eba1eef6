-- Evidence of missed votes that is proven while its round is not over, which is judged then. Of one offence the first is kept.
CREATE TABLE early_evidence (
  offence_id TEXT PRIMARY KEY,
  round_id TEXT NOT NULL,
  evidence TEXT NOT NULL,
  -- In network time.
  received_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX early_evidence_by_age ON early_evidence (received_at);
