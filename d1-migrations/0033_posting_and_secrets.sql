-- For alarms of the hub: epochs on their way to their vault that wait for nothing else, and since when the hub has had each secret.
CREATE INDEX epoch_receipts_to_post ON epoch_receipts (accepted_at)
  WHERE state IN ('attested', 'submitted') AND (settlement <> 'queued' OR error IS NULL);

CREATE TABLE hub_secrets (
  name TEXT PRIMARY KEY,
  -- Of the secret's value, of which it reveals nothing.
  fingerprint TEXT NOT NULL,
  -- When the hub ran with this value for the first time.
  seen_at INTEGER NOT NULL
) WITHOUT ROWID;
