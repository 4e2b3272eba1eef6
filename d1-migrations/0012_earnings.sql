-- Settled epochs, their payouts, and withdrawals.

-- Attested epochs of projects, and their settlement on the chain. The receipt itself, with its list of recipients, is a file
-- under its hash.
CREATE TABLE epoch_receipts (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  vault TEXT NOT NULL,
  consensus_hash TEXT NOT NULL,
  receipt_hash TEXT NOT NULL,
  merkle_root TEXT NOT NULL,
  -- JSON.
  token TEXT NOT NULL,
  -- JSON; amounts exceed the database's integers and are text.
  totals TEXT NOT NULL,
  recipients INTEGER NOT NULL,
  -- Recipients with an amount above 0: the number of leaves of the tree.
  leaves INTEGER NOT NULL,
  attestations INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  -- The hub sets `attested`, `submitted` and `underfunded`; `settled` and `vetoed` follow from the chain's state of the
  -- epoch, forward and back, as do the columns below `error`.
  state TEXT NOT NULL,
  -- The outcome of the last attempt to post it: `queued`, `sent`, `reverted` or `failed`.
  settlement TEXT NOT NULL,
  error TEXT,
  posted_tx TEXT,
  posted_block INTEGER,
  posted_at INTEGER,
  release_at INTEGER,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX epoch_receipts_by_vault ON epoch_receipts (vault, epoch);
-- Epochs that an event of their vault may let continue.
CREATE INDEX epoch_receipts_unposted ON epoch_receipts (vault, epoch)
  WHERE state IN ('attested', 'submitted', 'underfunded');
CREATE INDEX epoch_receipts_newest ON epoch_receipts (starts_at DESC, project_id DESC, epoch DESC);
CREATE INDEX epoch_receipts_of_project ON epoch_receipts (project_id, starts_at DESC, epoch DESC);
CREATE INDEX epoch_receipts_by_state ON epoch_receipts (state, starts_at DESC, project_id DESC, epoch DESC);
CREATE INDEX epoch_receipts_of_project_by_state
  ON epoch_receipts (project_id, state, starts_at DESC, epoch DESC);
-- Settled epochs in their challenge period are few among all that were settled.
CREATE INDEX epoch_receipts_to_release ON epoch_receipts (release_at) WHERE state = 'settled';
-- For epochs in the lists of rounds: the order of their ids, without the attempt.
CREATE INDEX epoch_receipts_by_acceptance
  ON epoch_receipts (accepted_at DESC, ('epoch:' || project_id || ':' || epoch || ':') DESC);
CREATE INDEX epoch_receipts_of_project_by_acceptance
  ON epoch_receipts (project_id, accepted_at DESC, ('epoch:' || project_id || ':' || epoch || ':') DESC);
CREATE INDEX epoch_receipts_by_hash ON epoch_receipts (receipt_hash);

-- The share of each recipient in an epoch. The key begins with the miner, who asks for its own shares.
CREATE TABLE epoch_shares (
  miner TEXT NOT NULL,
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  -- When the epoch ended.
  ends_at INTEGER NOT NULL DEFAULT 0,
  units INTEGER NOT NULL,
  amount TEXT NOT NULL,
  -- The place of its proof in the receipt's file of proofs; null for an amount of 0, which has no leaf.
  leaf INTEGER,
  -- The open withdrawal that brings the payout: at most one.
  withdrawal_id TEXT,
  -- Both follow from the chain's state of the claim, forward and back.
  claimed_at INTEGER,
  claimed_tx TEXT,
  PRIMARY KEY (miner, project_id, epoch)
) WITHOUT ROWID;
-- Finds the amounts that a wallet can claim without reading those it has claimed.
CREATE INDEX epoch_shares_unclaimed ON epoch_shares (miner, project_id, epoch)
  WHERE claimed_at IS NULL AND leaf IS NOT NULL;
CREATE INDEX epoch_shares_of_withdrawal ON epoch_shares (withdrawal_id) WHERE withdrawal_id IS NOT NULL;
-- Newest first, claimed shares apart from the others.
CREATE INDEX epoch_shares_by_time
  ON epoch_shares (miner, (claimed_at IS NOT NULL), ends_at DESC, project_id DESC, epoch DESC);
CREATE INDEX epoch_shares_of_project_by_time
  ON epoch_shares (miner, project_id, (claimed_at IS NOT NULL), ends_at DESC, epoch DESC);

-- Attested earnings of a wallet in a project by the UTC day (since 1970) in which epochs ended, so sums do not read every
-- share. Written with the shares; a veto changes nothing in it. Amounts exceed the database's integers: they are in parts of
-- 13 digits, the highest first.
CREATE TABLE earning_days (
  miner TEXT NOT NULL,
  day INTEGER NOT NULL,
  project_id TEXT NOT NULL,
  -- JSON.
  token TEXT NOT NULL,
  units INTEGER NOT NULL,
  part_0 INTEGER NOT NULL,
  part_1 INTEGER NOT NULL,
  part_2 INTEGER NOT NULL,
  part_3 INTEGER NOT NULL,
  part_4 INTEGER NOT NULL,
  part_5 INTEGER NOT NULL,
  PRIMARY KEY (miner, day, project_id, token)
) WITHOUT ROWID;

-- Withdrawals of wallets: payouts that the hub claims for them, and collateral that they withdraw by signature.
CREATE TABLE withdrawals (
  withdrawal_id TEXT PRIMARY KEY,
  -- `claim` or `collateral`.
  kind TEXT NOT NULL,
  account TEXT NOT NULL,
  -- The requested amount; once the withdrawal is over, the paid amount.
  amount TEXT NOT NULL,
  -- JSON.
  token TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  -- Of payouts only.
  project_id TEXT,
  vault TEXT,
  -- JSON; empty for collateral.
  epochs TEXT NOT NULL,
  -- While it is open: the number of payouts that the chain has not paid.
  unpaid INTEGER NOT NULL,
  -- Of collateral only.
  subscription_id TEXT,
  -- Of payouts: `open` until the chain's state of all of them is final, then `completed` or `failed`. Of collateral: always
  -- `open`, because the state of the relayed transaction says everything.
  state TEXT NOT NULL,
  -- The latest relayed transaction, by the relayer's id.
  relay_id TEXT,
  -- The transaction of the last payment.
  tx_hash TEXT,
  completed_at INTEGER,
  error TEXT
) WITHOUT ROWID;
CREATE INDEX withdrawals_of_account ON withdrawals (account, requested_at DESC, withdrawal_id DESC);

-- Counts a payout that anyone claims, and counts it back after a reorganisation.
CREATE TRIGGER withdrawals_follow_claims AFTER UPDATE OF claimed_at ON epoch_shares
WHEN new.withdrawal_id IS NOT NULL AND (old.claimed_at IS NULL) <> (new.claimed_at IS NULL) BEGIN
  UPDATE withdrawals SET unpaid = unpaid + iif(new.claimed_at IS NULL, 1, -1) WHERE withdrawal_id = new.withdrawal_id;
END;
-- An operator who gives the claim up ends the withdrawal. Unpaid payouts can be claimed again.
CREATE TRIGGER withdrawals_follow_wish AFTER UPDATE OF state ON hub_actions
WHEN new.kind = 'claim_payouts' AND new.state = 'closed' BEGIN
  UPDATE withdrawals SET state = 'failed', error = coalesce(error, 'An operator of the hub gave it up.')
  WHERE withdrawal_id = new.subject AND state = 'open';
  UPDATE epoch_shares SET withdrawal_id = NULL WHERE withdrawal_id = new.subject;
END;

-- Settled epochs in the order of their settlement. Each `total_*` is the sum since the first row: the figures of a period are
-- the difference of two rows.
CREATE TABLE project_epochs (
  project_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  settled_at INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  rounds_finalized INTEGER NOT NULL,
  rounds_fallback INTEGER NOT NULL,
  units INTEGER NOT NULL,
  miners INTEGER NOT NULL,
  -- Exceeds the database's integers, as `total_paid` does.
  paid TEXT NOT NULL,
  median_finality_ms INTEGER,
  uptime_bp INTEGER,
  slashes INTEGER NOT NULL,
  total_rounds INTEGER NOT NULL,
  total_finalized INTEGER NOT NULL,
  total_fallback INTEGER NOT NULL,
  total_units INTEGER NOT NULL,
  total_paid TEXT NOT NULL,
  total_slashes INTEGER NOT NULL,
  PRIMARY KEY (project_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX project_epochs_by_epoch ON project_epochs (project_id, starts_at, epoch);
CREATE INDEX project_epochs_by_time ON project_epochs (project_id, settled_at DESC, seq DESC);

-- Miners with credited rounds.
CREATE TABLE project_miners (
  project_id TEXT NOT NULL,
  miner TEXT NOT NULL,
  rounds INTEGER NOT NULL,
  units INTEGER NOT NULL,
  earned TEXT NOT NULL,
  first_credited_at INTEGER NOT NULL,
  last_credited_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, miner)
) WITHOUT ROWID;
CREATE INDEX project_miners_by_units ON project_miners (project_id, units DESC, miner DESC);
