-- When an operator ended the key of a validator at once: what it signs later counts for nothing. Null while it counts, also of
-- a validator that leaves with a generation.
ALTER TABLE nodes ADD COLUMN revoked_at INTEGER;
