-- What wallets earn: their payouts by time, and sums that do not read every payout there ever was.

-- When the epoch of the share ended.
ALTER TABLE epoch_shares ADD COLUMN ends_at INTEGER NOT NULL DEFAULT 0;
UPDATE epoch_shares SET ends_at = (SELECT (r.epoch + 1) * r.epoch_secs FROM epoch_receipts AS r
  WHERE r.project_id = epoch_shares.project_id AND r.epoch = epoch_shares.epoch);

-- Newest first, those that were claimed apart from the others.
CREATE INDEX epoch_shares_by_time
  ON epoch_shares (miner, (claimed_at IS NOT NULL), ends_at DESC, project_id DESC, epoch DESC);
CREATE INDEX epoch_shares_of_project_by_time
  ON epoch_shares (miner, project_id, (claimed_at IS NOT NULL), ends_at DESC, epoch DESC);

-- What a wallet was attested by a project, by the UTC day (since 1970) in which epochs ended. Written with the shares; what is
-- vetoed afterwards stays in it. Amounts exceed the database's integers: they are in parts of 13 digits, the highest first.
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
INSERT INTO earning_days
SELECT s.miner, (s.ends_at - 1) / 86400, s.project_id, r.token, sum(s.units),
  sum(CAST(substr(printf('%078d', 0) || s.amount, -78, 13) AS INTEGER)),
  sum(CAST(substr(printf('%078d', 0) || s.amount, -78 + 13, 13) AS INTEGER)),
  sum(CAST(substr(printf('%078d', 0) || s.amount, -78 + 26, 13) AS INTEGER)),
  sum(CAST(substr(printf('%078d', 0) || s.amount, -78 + 39, 13) AS INTEGER)),
  sum(CAST(substr(printf('%078d', 0) || s.amount, -78 + 52, 13) AS INTEGER)),
  sum(CAST(substr(printf('%078d', 0) || s.amount, -78 + 65, 13) AS INTEGER))
FROM epoch_shares AS s JOIN epoch_receipts AS r ON r.project_id = s.project_id AND r.epoch = s.epoch
GROUP BY 1, 2, 3, 4;
