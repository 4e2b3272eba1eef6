-- Rounds of an epoch that became final when its receipt no longer waited for them: they pay nobody.
ALTER TABLE epoch_rounds ADD COLUMN unpaid INTEGER NOT NULL DEFAULT 0;
CREATE INDEX epoch_rounds_unpaid ON epoch_rounds (ends_at) WHERE unpaid > 0;
