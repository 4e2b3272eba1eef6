-- Developers and their drafts of manifests.

-- One row for each wallet that began to enroll. The profile is public once the enrollment is active.
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
  -- JSON.
  social TEXT NOT NULL,
  reason TEXT,
  agreements_accepted_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX developers_by_enrollment ON developers (enrollment, updated_at, address);
CREATE INDEX developers_by_verification ON developers (verification, updated_at, address);

CREATE TABLE drafts (
  owner TEXT NOT NULL,
  draft_id TEXT NOT NULL,
  current_step INTEGER NOT NULL,
  project_id TEXT,
  data TEXT NOT NULL,
  -- Rises with every write; the ETag of the draft is made of it.
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, draft_id)
) WITHOUT ROWID;
CREATE INDEX drafts_newest ON drafts (owner, updated_at DESC, draft_id DESC);
