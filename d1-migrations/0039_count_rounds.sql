-- What follows from rounds that are over. Everything here is written in the batch that ends a round, and read instead of all
-- rounds and leases there ever were.

-- What an epoch of a project came to. `terms` is JSON: the economics of the version it runs under, its token, and the length of
-- the epoch. `units` are those of all members together; `primaries` were asked first, and `answered` have a valid vote.
CREATE TABLE epoch_rounds (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  terms TEXT NOT NULL,
  rounds INTEGER NOT NULL,
  finalized INTEGER NOT NULL,
  fallback INTEGER NOT NULL,
  units INTEGER NOT NULL,
  primaries INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;

-- What payout addresses are credited, until the epoch counts in the figures of its project.
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
-- Of epochs that nobody ever attested, for the clean-up.
CREATE INDEX epoch_credits_by_end ON epoch_credits (ends_at);

-- Proofs of a wallet by the UTC hour (since 1970) in which their rounds ended. `finality_ms` is the sum of those that were
-- verified; the others are counted by their reason.
CREATE TABLE proof_hours (
  owner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  finality_ms INTEGER NOT NULL,
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

-- Figures that take reading everything. The schedule renews the one row.
CREATE TABLE network_figures (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  projects_listed INTEGER NOT NULL,
  miners_online INTEGER NOT NULL,
  devices_online INTEGER NOT NULL,
  validators INTEGER NOT NULL,
  collateral_bonded TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);

-- Rounds whose offences are still to be recorded. A row goes when they are.
CREATE TABLE round_offences (
  round_id TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX round_offences_due ON round_offences (next_attempt_at);

-- The middle one of an epoch's times to finality.
CREATE INDEX rounds_by_finality ON rounds (project_id, epoch, finality_ms) WHERE state = 'finalized' AND project_id IS NOT NULL;

-- What a member's vote cost it.
CREATE INDEX slashes_of_round ON slashes (round_id, node_id);

-- Epochs among the rounds, as their ids sort without the attempt; and a receipt by its hash.
CREATE INDEX epoch_receipts_by_acceptance
  ON epoch_receipts (accepted_at DESC, ('epoch:' || project_id || ':' || epoch || ':') DESC);
CREATE INDEX epoch_receipts_of_project_by_acceptance
  ON epoch_receipts (project_id, accepted_at DESC, ('epoch:' || project_id || ':' || epoch || ':') DESC);
CREATE INDEX epoch_receipts_by_hash ON epoch_receipts (receipt_hash);
