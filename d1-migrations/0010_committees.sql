-- The committee set of each epoch of a project, and what validators attest of it.

-- The snapshot itself lies in R2 under its hash.
CREATE TABLE committee_sets (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  set_hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  -- JSON: the manifest's rules for drawing a committee.
  committee TEXT NOT NULL,
  built_at INTEGER NOT NULL,
  -- When a quorum of the validators of that time had attested it.
  attested_at INTEGER,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
-- Epochs that run without a quorum's attestation.
CREATE INDEX committee_sets_unattested ON committee_sets ((epoch + 1) * epoch_secs, project_id) WHERE attested_at IS NULL;

CREATE TABLE committee_set_attestations (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  public_key TEXT NOT NULL,
  signature TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, epoch, public_key)
) WITHOUT ROWID;

-- Epochs in which the last attempt to build the set, or to have it attested, failed. The row goes with the success, or after
-- the epoch.
CREATE TABLE epochs_without_set (
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  -- In network time.
  noted_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, epoch)
) WITHOUT ROWID;
CREATE INDEX epochs_without_set_by_end ON epochs_without_set ((epoch + 1) * epoch_secs, project_id);
