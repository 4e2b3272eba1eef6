-- Generations of validators.

-- A chain that only grows: a generation gets its row once the coordinator and a quorum of the generation before have signed
-- its hash. The unique `prev_hash` keeps the chain from forking.
CREATE TABLE validator_generations (
  generation INTEGER PRIMARY KEY,
  effective_at INTEGER NOT NULL,
  prev_hash TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  -- Canonical JSON.
  document TEXT NOT NULL,
  -- Attestations as JSON.
  coordinator TEXT NOT NULL,
  signatures TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  -- When the last signature came.
  whole_at INTEGER NOT NULL
);

-- The next generation while it lacks its quorum: one at a time. An emergency generation may replace another one. The
-- coordinator signs last, when the generation becomes whole.
CREATE TABLE pending_generations (
  generation INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  document TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  -- How often the generation was made again under its number, with another hash and document, because it had no quorum in
  -- time.
  renewals INTEGER NOT NULL DEFAULT 0
);

-- Signatures of validators that it has so far.
CREATE TABLE pending_generation_signatures (
  hash TEXT NOT NULL,
  public_key TEXT NOT NULL,
  signature TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (hash, public_key)
) WITHOUT ROWID;
