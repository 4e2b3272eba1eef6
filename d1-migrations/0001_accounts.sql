-- Who calls the hub: sign-in nonces, sessions, API keys, used request nonces, kept answers, and preferences of wallets.

CREATE TABLE siwe_nonces (
  nonce TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  domain TEXT NOT NULL,
  message TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX siwe_nonces_by_expiry ON siwe_nonces (expires_at);

-- Only the SHA-256 of a token is stored, so nobody can sign in with a copy of the database.
CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  key_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  -- JSON.
  scopes TEXT NOT NULL,
  -- JSON; null for every project.
  project_ids TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;
-- Lists and counts of keys do not read revoked ones. A key without an expiry sorts behind all others.
CREATE INDEX api_keys_newest ON api_keys (owner, created_at DESC, key_id DESC) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_live ON api_keys (owner, coalesce(expires_at, 9007199254740991)) WHERE revoked_at IS NULL;

-- The primary key makes a node's request nonce single use, also when requests race.
CREATE TABLE node_request_nonces (
  public_key TEXT NOT NULL,
  nonce TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (public_key, nonce)
) WITHOUT ROWID;
CREATE INDEX node_request_nonces_by_expiry ON node_request_nonces (expires_at);

-- Answers to requests that a caller may repeat.
CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  -- Stays the same in every retry. The operation names the records it makes by this id, so a retry finds them.
  operation_id TEXT NOT NULL,
  -- The request that holds the key. A request that lost the key to a later one must not release it.
  claimed_by TEXT NOT NULL,
  -- Frees the key if the request that holds it dies.
  locked_until INTEGER NOT NULL,
  -- The answer: null while the first request runs.
  status INTEGER,
  headers TEXT,
  body TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE preferences (
  address TEXT PRIMARY KEY,
  -- JSON.
  preferences TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
