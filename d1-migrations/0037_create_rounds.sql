-- Tasks, the rounds that decide them, and who was asked to run each. Everything is written by the one object of a round, a few
-- times: when the round begins, when its committee agrees or it goes another way, and when it is over.

-- What somebody asked a project to run. What came of it stands in the row of its round, once it has one.
CREATE TABLE tasks (
  task_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  -- Null while the task waits for the set of its epoch, and when that never came.
  round_id TEXT,
  function TEXT NOT NULL,
  gas_limit INTEGER NOT NULL,
  input_hash TEXT NOT NULL,
  -- Why there never was a round.
  error TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX tasks_of_round ON tasks (round_id) WHERE round_id IS NOT NULL;

-- Votes and finality in full are a file under the round's id; inputs, outputs and events above 4 KiB are files under their hash.
CREATE TABLE rounds (
  round_id TEXT PRIMARY KEY,
  -- `task` or `exec`.
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Of tasks alone: these five.
  project_id TEXT,
  consensus_hash TEXT,
  epoch INTEGER,
  seq INTEGER,
  set_hash TEXT,
  module_address TEXT NOT NULL,
  function TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  gas_limit INTEGER NOT NULL,
  -- When the round began, in network time.
  issued_at INTEGER NOT NULL,
  -- Of direct rounds alone.
  nonce TEXT,
  -- Base64, up to 4 KiB.
  input TEXT,
  -- Why there is no committee: `too_few_members` or `underfunded`.
  fallback TEXT,
  -- Members that are asked first; in a direct round, validators.
  committee_size INTEGER NOT NULL,
  votes INTEGER NOT NULL,
  agreeing INTEGER NOT NULL,
  audited INTEGER NOT NULL,
  -- The result, from `committee_agreed` on.
  receipt_hash TEXT,
  success INTEGER,
  gas_used INTEGER,
  output_hash TEXT,
  events_hash TEXT,
  -- Base64, and JSON; up to 4 KiB each.
  output TEXT,
  events TEXT,
  agreed_at INTEGER,
  finalized_at INTEGER,
  -- From the beginning to the end.
  finality_ms INTEGER,
  -- Why it failed.
  error TEXT
) WITHOUT ROWID;

-- Lists are newest first; the id parts those of one second.
CREATE INDEX rounds_newest ON rounds (issued_at DESC, round_id DESC);
CREATE INDEX rounds_by_kind ON rounds (kind, issued_at DESC, round_id DESC);
CREATE INDEX rounds_by_state ON rounds (state, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_project ON rounds (project_id, issued_at DESC, round_id DESC) WHERE project_id IS NOT NULL;
CREATE INDEX rounds_of_project_by_state ON rounds (project_id, state, issued_at DESC, round_id DESC)
  WHERE project_id IS NOT NULL;
CREATE INDEX rounds_of_module ON rounds (module_address, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_module_by_state ON rounds (module_address, state, issued_at DESC, round_id DESC);
-- Equal runs have one receipt.
CREATE INDEX rounds_by_receipt ON rounds (receipt_hash, issued_at DESC, round_id DESC) WHERE receipt_hash IS NOT NULL;

-- What a member was asked, and the proof that came of it: its vote, or that there is none. `lease_id` and `offer_id` are both
-- the hash part of the round id, a dot, and the position.
CREATE TABLE leases (
  round_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  -- `primary` or `backup`.
  role TEXT NOT NULL,
  node_key TEXT NOT NULL,
  node_id TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  -- `offered`, `leased`, `voted`, `finalized`, `missed` or `cancelled`.
  state TEXT NOT NULL,
  -- Why it was missed: `offline`, `full`, `declined`, `not_accepted` or `late`.
  missed_because TEXT,
  created_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  completed_at INTEGER,
  proof_id TEXT NOT NULL,
  -- `pending`, `verified`, `rejected` or `missed`; null while there is neither a vote nor the lack of one.
  proof_status TEXT,
  -- `disagreed`, `invalid_vote`, `late` or `missed`.
  rejection_reason TEXT,
  -- What the member voted.
  receipt_hash TEXT,
  submitted_at INTEGER,
  -- Credited; null until the round is final.
  units INTEGER,
  PRIMARY KEY (round_id, position)
) WITHOUT ROWID;

CREATE INDEX leases_of_owner ON leases (owner, created_at DESC, round_id DESC, position DESC);
CREATE INDEX leases_of_owner_by_state ON leases (owner, state, created_at DESC, round_id DESC, position DESC);
CREATE INDEX leases_of_owner_by_project ON leases (owner, project_id, created_at DESC, round_id DESC, position DESC);
CREATE INDEX leases_of_node ON leases (node_id, created_at DESC, round_id DESC, position DESC);
CREATE UNIQUE INDEX proofs_by_id ON leases (proof_id);
CREATE INDEX proofs_of_owner_by_status ON leases (owner, proof_status, created_at DESC, round_id DESC, position DESC)
  WHERE proof_status IS NOT NULL;
