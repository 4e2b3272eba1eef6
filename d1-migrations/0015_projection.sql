-- Rounds are written here once, when they are over, or when they have been open for a while; what is true of them while they
-- are open is in their objects. So a row costs as few indexes as its lists need: one for each list of rounds with a result,
-- which are nearly all, and more for the few others.
ALTER TABLE rounds ADD COLUMN task_id TEXT;
-- When the task was submitted; null where the round began with it.
ALTER TABLE rounds ADD COLUMN created_at INTEGER;

DROP INDEX rounds_newest;
DROP INDEX rounds_by_kind;
DROP INDEX rounds_by_state;
DROP INDEX rounds_of_project;
DROP INDEX rounds_of_project_by_state;
DROP INDEX rounds_by_finality;
DROP INDEX rounds_by_kind_and_state;
DROP INDEX rounds_of_module_by_kind;
DROP INDEX rounds_of_module_by_kind_and_state;
DROP INDEX rounds_of_project_by_module;
DROP INDEX rounds_of_project_by_module_and_state;

CREATE INDEX rounds_final ON rounds (kind, issued_at DESC, round_id DESC) WHERE state = 'finalized';
CREATE INDEX rounds_final_of_project ON rounds (project_id, issued_at DESC, round_id DESC)
  WHERE state = 'finalized' AND project_id IS NOT NULL;
CREATE INDEX rounds_final_of_module ON rounds (module_address, kind, issued_at DESC, round_id DESC)
  WHERE state = 'finalized';
CREATE INDEX rounds_other ON rounds (kind, issued_at DESC, round_id DESC) WHERE state <> 'finalized';
CREATE INDEX rounds_other_by_state ON rounds (kind, state, issued_at DESC, round_id DESC) WHERE state <> 'finalized';
CREATE INDEX rounds_other_of_project ON rounds (project_id, issued_at DESC, round_id DESC)
  WHERE state <> 'finalized' AND project_id IS NOT NULL;
CREATE INDEX rounds_other_of_project_by_state ON rounds (project_id, state, issued_at DESC, round_id DESC)
  WHERE state <> 'finalized' AND project_id IS NOT NULL;
CREATE INDEX rounds_other_of_module ON rounds (module_address, kind, issued_at DESC, round_id DESC)
  WHERE state <> 'finalized';
CREATE INDEX rounds_other_of_module_by_state ON rounds (module_address, kind, state, issued_at DESC, round_id DESC)
  WHERE state <> 'finalized';

-- In the order of the lists of their owner, which is the only one that is read often. The record of a round has its own leases.
CREATE TABLE owned_leases (
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
  PRIMARY KEY (owner, created_at DESC, round_id DESC, position DESC)
) WITHOUT ROWID;
INSERT INTO owned_leases (round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state,
  missed_because, created_at, deadline, completed_at, proof_id, proof_status, rejection_reason, receipt_hash, submitted_at, units)
  SELECT round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state,
    missed_because, created_at, deadline, completed_at, proof_id, proof_status, rejection_reason, receipt_hash, submitted_at, units
  FROM leases;
DROP TABLE leases;
ALTER TABLE owned_leases RENAME TO leases;
CREATE UNIQUE INDEX proofs_by_id ON leases (proof_id);
CREATE INDEX leases_of_owner_other ON leases (owner, state, created_at DESC, round_id DESC, position DESC)
  WHERE state <> 'finalized';
CREATE INDEX proofs_of_owner_other ON leases (owner, proof_status, created_at DESC, round_id DESC, position DESC)
  WHERE proof_status <> 'verified';
