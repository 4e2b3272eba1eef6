-- Devices and their records, what nodes say of themselves, and what operators did.

-- Every accepted record, bind and unbind. The primary key makes a record count once, however often it is posted.
CREATE TABLE bindings (
  binding_hash TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  node_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  owner TEXT NOT NULL,
  message TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  owner_signature TEXT,
  node_signature TEXT,
  accepted_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX bindings_by_node ON bindings (node_id, accepted_at);

-- `binding_hash` names the active record, or with `unbound_at` the last one; `unbinding_hash` the record that ended it.
-- The rest is what the device says of itself, and its owner's label.
CREATE TABLE devices (
  node_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  binding_hash TEXT NOT NULL,
  bound_at INTEGER NOT NULL,
  unbinding_hash TEXT,
  unbound_at INTEGER,
  label TEXT,
  class TEXT,
  platform TEXT,
  os_version TEXT,
  arch TEXT,
  engine TEXT,
  nodectl_version TEXT,
  hardware TEXT,
  benchmark TEXT,
  profile_updated_at INTEGER
) WITHOUT ROWID;
CREATE INDEX devices_by_owner ON devices (owner, bound_at DESC, node_id DESC) WHERE unbound_at IS NULL;

ALTER TABLE nodes ADD COLUMN engine TEXT;
ALTER TABLE nodes ADD COLUMN nodectl_version TEXT;
ALTER TABLE nodes ADD COLUMN capabilities TEXT;
ALTER TABLE nodes ADD COLUMN health TEXT;
ALTER TABLE nodes ADD COLUMN last_heartbeat_at INTEGER;
ALTER TABLE nodes ADD COLUMN updated_at INTEGER;
CREATE INDEX nodes_newest ON nodes (registered_at DESC, node_id DESC);

-- `before` and `after` are JSON. Rows are never changed.
CREATE TABLE audit_log (
  entry INTEGER PRIMARY KEY,
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason TEXT,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX audit_log_by_subject ON audit_log (subject, entry DESC);
