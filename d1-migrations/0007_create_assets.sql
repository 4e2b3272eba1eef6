-- Listing images. The bytes lie in R2 under assets/<sha256>; the digest is of the bytes as they are served.

CREATE TABLE assets (
  sha256 TEXT PRIMARY KEY,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  uploader TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
