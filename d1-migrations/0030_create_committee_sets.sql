-- Network time, beacons, and the eligible set of each epoch with what validators say of it.

-- Seconds that the newest block was ahead of the machine's clock when it was indexed; the largest there ever were.
ALTER TABLE chain_cursor ADD COLUMN lead_secs INTEGER NOT NULL DEFAULT 0;
