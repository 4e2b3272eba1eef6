-- Which payouts were claimed. Both columns follow from the chain's state of the claim, forward and back.
ALTER TABLE epoch_shares ADD COLUMN claimed_at INTEGER;
ALTER TABLE epoch_shares ADD COLUMN claimed_tx TEXT;
-- What a wallet can claim is found without what it has claimed.
CREATE INDEX epoch_shares_unclaimed ON epoch_shares (miner, project_id, epoch)
  WHERE claimed_at IS NULL AND leaf IS NOT NULL;
