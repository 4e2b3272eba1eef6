-- What validators attested of the epochs of projects, and what became of it on the chain.

-- The receipt itself, with its list of recipients, is a file under its hash.
CREATE TABLE epoch_receipts (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  vault TEXT NOT NULL,
  consensus_hash TEXT NOT NULL,
  receipt_hash TEXT NOT NULL,
  merkle_root TEXT NOT NULL,
  -- JSON
  token TEXT NOT NULL,
  -- JSON; amounts exceed the database's integers and are text.
  totals TEXT NOT NULL,
  recipients INTEGER NOT NULL,
  -- Recipients that are paid something: as many leaves has the tree.
  leaves INTEGER NOT NULL,
  attestations INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  -- `attested`, `submitted` and `underfunded` as the hub comes on; `settled` and `vetoed` follow from the chain's state of
  -- the epoch, forward and back, with the columns below.
  state TEXT NOT NULL,
  -- `queued`, `sent`, `reverted` or `failed`: what came of the last attempt to post it.
  settlement TEXT NOT NULL,
  error TEXT,
  posted_tx TEXT,
  posted_block INTEGER,
  posted_at INTEGER,
  release_at INTEGER,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX epoch_receipts_by_vault ON epoch_receipts (vault, epoch);
-- What an event of a vault may let go on.
CREATE INDEX epoch_receipts_unposted ON epoch_receipts (vault, epoch)
  WHERE state IN ('attested', 'submitted', 'underfunded');
CREATE INDEX epoch_receipts_newest ON epoch_receipts (starts_at DESC, project_id DESC, epoch DESC);
CREATE INDEX epoch_receipts_of_project ON epoch_receipts (project_id, starts_at DESC, epoch DESC);
CREATE INDEX epoch_receipts_by_state ON epoch_receipts (state, starts_at DESC, project_id DESC, epoch DESC);
CREATE INDEX epoch_receipts_of_project_by_state
  ON epoch_receipts (project_id, state, starts_at DESC, epoch DESC);
-- Settled epochs whose challenge period runs are few among those that are over.
CREATE INDEX epoch_receipts_to_release ON epoch_receipts (release_at) WHERE state = 'settled';

-- What each recipient has in an epoch. The key begins with the miner, who asks for its own.
CREATE TABLE epoch_shares (
  miner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  units INTEGER NOT NULL,
  amount TEXT NOT NULL,
  -- Which of the proofs in the receipt's file of proofs; null for an amount of 0, which has no leaf.
  leaf INTEGER,
  PRIMARY KEY (miner, project_id, epoch)
) WITHOUT ROWID;
