-- Who validates, as a chain that only grows: a row comes once the coordinator and a quorum of the generation before have signed
-- its hash. `document` is its canonical JSON, `coordinator` and `signatures` are attestations as JSON; `whole_at` says when the
-- last signature came. Each hash is followed once, so that the chain cannot fork.
CREATE TABLE validator_generations (
  generation INTEGER PRIMARY KEY,
  effective_at INTEGER NOT NULL,
  prev_hash TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  document TEXT NOT NULL,
  coordinator TEXT NOT NULL,
  signatures TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  whole_at INTEGER NOT NULL
);

-- The next generation while it lacks its quorum: one at a time. An emergency generation may take the place of another one.
CREATE TABLE pending_generations (
  generation INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  document TEXT NOT NULL,
  coordinator TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL
);

-- What validators signed of it so far.
CREATE TABLE pending_generation_signatures (
  hash TEXT NOT NULL,
  public_key TEXT NOT NULL,
  signature TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (hash, public_key)
) WITHOUT ROWID;
