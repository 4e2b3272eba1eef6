/**
 * What `serve` adds to the database of a data directory, in order. Append only: `PRAGMA user_version` says how many a
 * database has.
 */
export const migrations: readonly string[] = [
  `
  -- What this node has voted, for ever. The unique index decides that there is one vote for each round.
  CREATE TABLE votes (
    id INTEGER PRIMARY KEY, public_key TEXT NOT NULL, kind TEXT NOT NULL, round_id TEXT NOT NULL,
    vote TEXT NOT NULL, answer TEXT, created_at INTEGER NOT NULL,
    UNIQUE (public_key, kind, round_id)
  );
  -- Nonces of signed requests, kept as long as their requests could be sent again.
  CREATE TABLE nonces (
    public_key TEXT NOT NULL, nonce TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (public_key, nonce)
  ) WITHOUT ROWID;
  CREATE INDEX nonces_by_expiry ON nonces (expires_at);
  -- Who may send signed requests: the validators and the coordinator, as the hub said last.
  CREATE TABLE senders (
    public_key TEXT PRIMARY KEY, role TEXT NOT NULL CHECK (role IN ('validator', 'coordinator')), url TEXT
  ) WITHOUT ROWID;
  -- The newest receipts of a module, or of a function whatever its module, without looking at any other.
  CREATE INDEX ledger_by_address ON ledger (address, id);
  CREATE INDEX ledger_by_function ON ledger (function, id);
  -- Chunks that the node keeps for others; their bytes are files.
  CREATE TABLE chunks (hash TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
  -- Single values.
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  -- What state sync has taken of modules that are not whole yet; an entry was held against the hash of its bucket.
  CREATE TABLE sync_buckets (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, hash TEXT NOT NULL, is_whole INTEGER NOT NULL,
    PRIMARY KEY (address, bucket)
  ) WITHOUT ROWID;
  CREATE TABLE sync_entries (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (address, bucket, key)
  ) WITHOUT ROWID;
  `,
]
