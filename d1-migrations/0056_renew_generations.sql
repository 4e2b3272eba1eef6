-- A generation of validators that has no quorum in time lapses, and is made anew under its number: `hash` and `document` change,
-- and `renewals` says how often. The coordinator signs last, as the generation becomes whole.
ALTER TABLE pending_generations DROP COLUMN coordinator;
ALTER TABLE pending_generations ADD COLUMN renewals INTEGER NOT NULL DEFAULT 0;

-- Epochs of projects of which the last try to build a set, or to have it attested, failed. A row ends with the set, or after its
-- epoch.
CREATE TABLE epochs_without_set (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  -- In network time.
  noted_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX epochs_without_set_by_end ON epochs_without_set ((epoch + 1) * epoch_secs, project_id);
