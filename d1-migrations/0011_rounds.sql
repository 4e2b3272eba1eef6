-- Tasks, the rounds that decide them, and the leases of their members. The object of a round writes all of its rows, a few
-- times: when the round begins, when its committee agrees or fails to, and when it ends.

-- Tasks that were submitted to a project. The result of a task is in the row of its round.
CREATE TABLE tasks (
  task_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  -- Null while the task waits for the set of its epoch, and if that never came.
  round_id TEXT,
  function TEXT NOT NULL,
  gas_limit INTEGER NOT NULL,
  input_hash TEXT NOT NULL,
  -- Why the task never had a round.
  error TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX tasks_of_round ON tasks (round_id) WHERE round_id IS NOT NULL;
-- Tasks that wait for their round.
CREATE INDEX tasks_waiting ON tasks (created_at, project_id) WHERE round_id IS NULL AND error IS NULL;

-- All votes and the finality are a file under the round's id; inputs, outputs and events above 4 KiB are files under their
-- hash.
CREATE TABLE rounds (
  round_id TEXT PRIMARY KEY,
  -- `task` or `exec`.
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  -- These five are null in direct rounds.
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
  -- Of direct rounds only.
  nonce TEXT,
  -- Base64, up to 4 KiB.
  input TEXT,
  -- Why there is no committee: `too_few_members` or `underfunded`.
  fallback TEXT,
  -- The number of primary members; in a direct round, of validators.
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

-- Lists are newest first; the id orders rounds of one second. Each combination of filters is one range of an index; only the
-- rounds of a module without a kind are two. Rounds of a project are all of one kind.
CREATE INDEX rounds_newest ON rounds (issued_at DESC, round_id DESC);
CREATE INDEX rounds_by_kind ON rounds (kind, issued_at DESC, round_id DESC);
CREATE INDEX rounds_by_state ON rounds (state, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_project ON rounds (project_id, issued_at DESC, round_id DESC) WHERE project_id IS NOT NULL;
CREATE INDEX rounds_of_project_by_state ON rounds (project_id, state, issued_at DESC, round_id DESC)
  WHERE project_id IS NOT NULL;
-- Several rounds of equal runs share one receipt.
CREATE INDEX rounds_by_receipt ON rounds (receipt_hash, issued_at DESC, round_id DESC) WHERE receipt_hash IS NOT NULL;
-- For the median time to finality of an epoch.
CREATE INDEX rounds_by_finality ON rounds (project_id, epoch, finality_ms) WHERE state = 'finalized' AND project_id IS NOT NULL;
CREATE INDEX rounds_by_kind_and_state ON rounds (kind, state, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_module_by_kind ON rounds (module_address, kind, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_module_by_kind_and_state ON rounds (module_address, kind, state, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_project_by_module ON rounds (project_id, module_address, issued_at DESC, round_id DESC)
  WHERE project_id IS NOT NULL;
CREATE INDEX rounds_of_project_by_module_and_state
  ON rounds (project_id, module_address, state, issued_at DESC, round_id DESC) WHERE project_id IS NOT NULL;

-- The lease of a member, and the proof it led to: its vote, or that it cast none. `lease_id` and `offer_id` are both the hash
-- part of the round id, a dot, and the position.
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
  -- `pending`, `verified`, `rejected` or `missed`; null while the member may still vote.
  proof_status TEXT,
  -- `disagreed`, `invalid_vote`, `late` or `missed`.
  rejection_reason TEXT,
  -- The receipt that the member voted for.
  receipt_hash TEXT,
  submitted_at INTEGER,
  -- Credited units; null until the round is final.
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

-- Direct rounds are free for their callers, so the hub deletes the oldest, with their rows and files, after some time or when
-- they exceed a limit.
CREATE TABLE direct_rounds (
  round_id TEXT PRIMARY KEY,
  ended_at INTEGER NOT NULL,
  -- Of row and file together.
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX direct_rounds_newest ON direct_rounds (ended_at DESC, round_id DESC, bytes);

-- The counts below are written in the batch that ends a round. Readers use them instead of all rounds and leases.

-- The rounds of an epoch of a project.
CREATE TABLE epoch_rounds (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  -- JSON: the economics of the version in force, its token, and the length of the epoch.
  terms TEXT NOT NULL,
  rounds INTEGER NOT NULL,
  finalized INTEGER NOT NULL,
  fallback INTEGER NOT NULL,
  -- Of all members together.
  units INTEGER NOT NULL,
  -- Primary members that were asked, and those of them that cast a valid vote.
  primaries INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  -- Rounds that became final after the epoch's receipt was made without them: they pay nobody.
  unpaid INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX epoch_rounds_unpaid ON epoch_rounds (ends_at) WHERE unpaid > 0;

-- Credits of payout addresses, until the epoch counts in the figures of its project.
CREATE TABLE epoch_credits (
  miner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (miner, project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX epoch_credits_of_epoch ON epoch_credits (project_id, epoch);
-- For deleting the credits of epochs that were never attested.
CREATE INDEX epoch_credits_by_end ON epoch_credits (ends_at);

-- Proofs of a wallet by the UTC hour (since 1970) in which their rounds ended.
CREATE TABLE proof_hours (
  owner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  -- The sum over the verified ones.
  finality_ms INTEGER NOT NULL,
  -- The others, by reason.
  disagreed INTEGER NOT NULL,
  invalid_vote INTEGER NOT NULL,
  late INTEGER NOT NULL,
  missed INTEGER NOT NULL,
  PRIMARY KEY (owner, project_id, hour)
) WITHOUT ROWID;
CREATE INDEX proof_hours_by_time ON proof_hours (owner, hour);

-- Rounds of the whole network by the UTC hour in which they ended.
CREATE TABLE network_hours (
  hour INTEGER PRIMARY KEY,
  rounds INTEGER NOT NULL,
  finalized INTEGER NOT NULL,
  units INTEGER NOT NULL
) WITHOUT ROWID;

-- Figures that only a read of everything gives. The schedule renews the one row.
CREATE TABLE network_figures (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  projects_listed INTEGER NOT NULL,
  miners_online INTEGER NOT NULL,
  devices_online INTEGER NOT NULL,
  validators INTEGER NOT NULL,
  collateral_bonded TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
