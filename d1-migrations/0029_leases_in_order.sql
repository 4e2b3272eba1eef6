-- Leases in the ascending order of their key. Lists read it backwards, and what is written follows what its owner has, so pages of the table
-- become full; in the order of lists each page was left half empty. The columns stay, for a build before this one too.
CREATE TABLE leases_in_order (
  round_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  node_key TEXT NOT NULL,
  node_id TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL,
  missed_because TEXT,
  created_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  completed_at INTEGER,
  proof_id TEXT NOT NULL,
  proof_status TEXT,
  rejection_reason TEXT,
  receipt_hash TEXT,
  submitted_at INTEGER,
  units INTEGER,
  vote_problem TEXT,
  PRIMARY KEY (owner, created_at, round_id, position)
) WITHOUT ROWID;
INSERT INTO leases_in_order (round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state,
  missed_because, created_at, deadline, completed_at, proof_id, proof_status, rejection_reason, receipt_hash, submitted_at, units,
  vote_problem)
  SELECT round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state,
    missed_because, created_at, deadline, completed_at, proof_id, proof_status, rejection_reason, receipt_hash, submitted_at, units,
    vote_problem
  FROM leases ORDER BY owner, created_at, round_id, position;
DROP TABLE leases;
ALTER TABLE leases_in_order RENAME TO leases;
CREATE UNIQUE INDEX proofs_by_id ON leases (proof_id);
CREATE INDEX leases_of_owner_other ON leases (owner, state, created_at, round_id, position) WHERE state <> 'finalized';
CREATE INDEX proofs_of_owner_other ON leases (owner, proof_status, created_at, round_id, position)
  WHERE proof_status <> 'verified';
CREATE INDEX leases_other_of_subscription ON leases (subscription_id, created_at)
  WHERE state <> 'finalized' OR proof_status <> 'verified';
