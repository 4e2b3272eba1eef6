-- What the network pages read: relayed transactions, nodes and projects.

CREATE TABLE transactions (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  owner TEXT NOT NULL,
  status TEXT NOT NULL,
  tx_hash TEXT,
  error TEXT,
  confirmations INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE nodes (
  node_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  url TEXT NOT NULL,
  region TEXT,
  registered_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX nodes_by_role ON nodes (role, status, node_id);

CREATE TABLE projects (
  project_id TEXT PRIMARY KEY,
  developer TEXT NOT NULL,
  slug TEXT NOT NULL,
  category TEXT NOT NULL,
  listing_status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX projects_by_category ON projects (listing_status, category);
