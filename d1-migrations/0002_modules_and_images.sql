-- Uploaded files. Their bytes are stored in R2.

-- The bytes lie under modules/<address>/<sha256>: several archives may have one address, and the row names the one in use.
CREATE TABLE modules (
  manifest_address TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  -- JSON.
  functions TEXT NOT NULL,
  manifest TEXT NOT NULL,
  hbc_size INTEGER NOT NULL,
  stateless INTEGER NOT NULL,
  uploader TEXT NOT NULL,
  exec_count INTEGER NOT NULL DEFAULT 0,
  deployed_at INTEGER NOT NULL
) WITHOUT ROWID;
-- Both orders end in the address, so pages stay exact when many modules share a second.
CREATE INDEX modules_newest ON modules (deployed_at DESC, manifest_address DESC);
CREATE INDEX modules_newest_by_uploader ON modules (uploader, deployed_at DESC, manifest_address DESC);

-- Listing images. The bytes lie under assets/<sha256>; the digest is of the bytes as the hub serves them.
CREATE TABLE assets (
  sha256 TEXT PRIMARY KEY,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  uploader TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
