-- What wallets take out: payouts that the hub claims for them, and collateral that they withdraw by signature.

CREATE TABLE withdrawals (
  withdrawal_id TEXT PRIMARY KEY,
  -- `claim` or `collateral`.
  kind TEXT NOT NULL,
  account TEXT NOT NULL,
  -- What was asked for; once the withdrawal is over, what was paid.
  amount TEXT NOT NULL,
  -- JSON.
  token TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  -- Of payouts: whose, and of which epochs (JSON). Empty for collateral.
  project_id TEXT,
  vault TEXT,
  epochs TEXT NOT NULL,
  -- How many of the payouts the chain has not paid, while it is open.
  unpaid INTEGER NOT NULL,
  -- Of collateral.
  subscription_id TEXT,
  -- Of payouts: `open` until what the chain says of all of them is final; then `completed` or `failed`. Of collateral, always
  -- `open`: the relayed transaction says all there is.
  state TEXT NOT NULL,
  -- The latest transaction about it, by the relayer's name for it.
  relay_id TEXT,
  -- The transaction that paid last.
  tx_hash TEXT,
  completed_at INTEGER,
  error TEXT
) WITHOUT ROWID;
CREATE INDEX withdrawals_of_account ON withdrawals (account, requested_at DESC, withdrawal_id DESC);

-- The open withdrawal that brings a payout, if any: one at a time.
ALTER TABLE epoch_shares ADD COLUMN withdrawal_id TEXT;
CREATE INDEX epoch_shares_of_withdrawal ON epoch_shares (withdrawal_id) WHERE withdrawal_id IS NOT NULL;

-- Whoever claims a payout, and also when a reorganisation takes that back.
CREATE TRIGGER withdrawals_follow_claims AFTER UPDATE OF claimed_at ON epoch_shares
WHEN new.withdrawal_id IS NOT NULL AND (old.claimed_at IS NULL) <> (new.claimed_at IS NULL) BEGIN
  UPDATE withdrawals SET unpaid = unpaid + iif(new.claimed_at IS NULL, 1, -1) WHERE withdrawal_id = new.withdrawal_id;
END;

-- An operator who gives the wish up ends the withdrawal, and what was not paid can be claimed again.
CREATE TRIGGER withdrawals_follow_wish AFTER UPDATE OF state ON hub_actions
WHEN new.kind = 'claim_payouts' AND new.state = 'closed' BEGIN
  UPDATE withdrawals SET state = 'failed', error = coalesce(error, 'An operator of the hub gave it up.')
  WHERE withdrawal_id = new.subject AND state = 'open';
  UPDATE epoch_shares SET withdrawal_id = NULL WHERE withdrawal_id = new.subject;
END;
