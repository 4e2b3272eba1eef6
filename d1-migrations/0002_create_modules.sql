-- Uploaded artifacts. The bytes lie in R2 under modules/<address>/<sha256>: archives of one address may differ,
-- and the row names the one that won.

CREATE TABLE modules (
  manifest_address TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  functions TEXT NOT NULL,
  manifest TEXT NOT NULL,
  hbc_size INTEGER NOT NULL,
  stateless INTEGER NOT NULL,
  uploader TEXT NOT NULL,
  exec_count INTEGER NOT NULL DEFAULT 0,
  deployed_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Both orders end in the address, so that pages stay exact when many modules share a second.
CREATE INDEX modules_newest ON modules (deployed_at DESC, manifest_address DESC);
CREATE INDEX modules_newest_by_uploader ON modules (uploader, deployed_at DESC, manifest_address DESC);
