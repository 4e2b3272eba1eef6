-- Who calls: sign-in nonces, sessions, API keys, spent request nonces, and answers kept for repeated requests.

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

-- Only the SHA-256 of a token is stored, so that a copy of the database signs nobody in.
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
  scopes TEXT NOT NULL,
  project_ids TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX api_keys_by_owner ON api_keys (owner, created_at);

-- The primary key is what makes a node's request nonce single use, however many requests race.
CREATE TABLE node_request_nonces (
  public_key TEXT NOT NULL,
  nonce TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (public_key, nonce)
) WITHOUT ROWID;
CREATE INDEX node_request_nonces_by_expiry ON node_request_nonces (expires_at);

-- `status` is null while the first request is still running; `locked_until` frees the key if that request died.
CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  locked_until INTEGER NOT NULL,
  status INTEGER,
  headers TEXT,
  body TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
