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
