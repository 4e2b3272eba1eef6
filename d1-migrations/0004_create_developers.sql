-- What wallets keep with the hub: preferences, developer profiles and drafts of manifests.

CREATE TABLE preferences (
  address TEXT PRIMARY KEY,
  preferences TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- One row per wallet that ever began to enroll; the profile is public once the enrollment is active.
CREATE TABLE developers (
  address TEXT PRIMARY KEY,
  enrollment TEXT NOT NULL,
  verification TEXT NOT NULL,
  developer_type TEXT,
  display_name TEXT NOT NULL,
  bio TEXT,
  website TEXT,
  logo TEXT,
  location TEXT,
  email TEXT,
  social TEXT NOT NULL,
  reason TEXT,
  agreements_accepted_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX developers_by_enrollment ON developers (enrollment, updated_at, address);
CREATE INDEX developers_by_verification ON developers (verification, updated_at, address);

-- `revision` rises with every write; the ETag of a draft is made of it.
CREATE TABLE drafts (
  owner TEXT NOT NULL,
  draft_id TEXT NOT NULL,
  current_step INTEGER NOT NULL,
  project_id TEXT,
  data TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, draft_id)
) WITHOUT ROWID;
CREATE INDEX drafts_newest ON drafts (owner, updated_at DESC, draft_id DESC);
