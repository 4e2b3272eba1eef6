-- Rounds of old epochs leave the database once they are in an archive in the bucket.

-- JSON: owner, `created_at` and position of each lease. Leases are in the order of their owners, so this finds those of a
-- round. Null where a hub without archives wrote the round: then its record has them.
ALTER TABLE rounds ADD COLUMN lease_keys TEXT;

-- 1 once the archive of the epoch is whole. Null where its rounds stay: records of an earlier form do not have everything that
-- readers are shown, and of some epochs the database does not have as many rounds as it counted.
ALTER TABLE epoch_rounds ADD COLUMN archived INTEGER DEFAULT 0;
UPDATE epoch_rounds SET archived = NULL
WHERE (project_id, epoch) IN (SELECT project_id, epoch FROM rounds WHERE kind = 'task' AND task_id IS NULL);
-- The oldest epochs whose rounds are here.
CREATE INDEX epoch_rounds_kept ON epoch_rounds (ends_at, project_id, epoch) WHERE archived = 0;

-- Epochs whose rounds leave, or have left. A row is written before the first round goes; from then on no round of the epoch
-- is written any more.
CREATE TABLE archives (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  -- Of the file, which is compressed.
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- When the last of its rounds began.
  last_issued_at INTEGER NOT NULL,
  -- An epoch may count in the figures of its project after its rounds have left.
  median_finality_ms INTEGER,
  archived_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX archives_by_last_round ON archives (last_issued_at);

CREATE INDEX dead_letters_resolved ON dead_letters (resolved_at) WHERE resolved_at IS NOT NULL;
-- Tasks that waited in vain have no round, and are forgotten by age.
CREATE INDEX tasks_failed ON tasks (created_at) WHERE error IS NOT NULL;
