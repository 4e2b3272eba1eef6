-- Network time, beacons, and the eligible set of each epoch with what validators say of it.

-- Seconds that the newest block was ahead of the machine's clock when it was indexed; the largest there ever were.
ALTER TABLE chain_cursor ADD COLUMN lead_secs INTEGER NOT NULL DEFAULT 0;

-- The block of each beacon, once it is final. Its value and its target time follow from the key and the hash.
CREATE TABLE beacons (
  epoch_secs INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  PRIMARY KEY (epoch_secs, epoch)
) WITHOUT ROWID;

-- The eligible set of an epoch; the snapshot itself lies in R2 under its hash.
-- `committee` is what the manifest says of drawing from it. `attested_at` is when a quorum of the validators of that time
-- had attested it.
CREATE TABLE committee_sets (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  set_hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  committee TEXT NOT NULL,
  built_at INTEGER NOT NULL,
  attested_at INTEGER,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;

CREATE TABLE committee_set_attestations (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  public_key TEXT NOT NULL,
  signature TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, epoch, public_key)
) WITHOUT ROWID;

-- A set is built in the order of its keys, and of a subscription that changed after the beacon its events are read.
CREATE INDEX subscriptions_by_project_and_key ON subscriptions (project_id, node_key, subscription_id);
CREATE INDEX chain_events_by_subscription
  ON chain_events (json_extract(args, '$.subscriptionId'), block_number, log_index)
  WHERE json_extract(args, '$.subscriptionId') IS NOT NULL;
