-- Nodes that registered with the hub, and devices that owners bound.

CREATE TABLE nodes (
  node_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  url TEXT NOT NULL,
  region TEXT,
  engine TEXT,
  nodectl_version TEXT,
  -- JSON.
  capabilities TEXT,
  health TEXT,
  last_heartbeat_at INTEGER,
  registered_at INTEGER NOT NULL,
  updated_at INTEGER,
  -- When an operator revoked the key of a validator: later signatures of it do not count. Stays null when a validator leaves
  -- with a generation.
  revoked_at INTEGER
) WITHOUT ROWID;
CREATE INDEX nodes_by_role ON nodes (role, status, node_id);
CREATE INDEX nodes_newest ON nodes (registered_at DESC, node_id DESC);

-- Every accepted record, to bind and to unbind. The primary key makes a record count once, however often it is posted.
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

CREATE TABLE devices (
  node_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  -- The active record; the last one if `unbound_at` is set.
  binding_hash TEXT NOT NULL,
  bound_at INTEGER NOT NULL,
  -- The record that ended it.
  unbinding_hash TEXT,
  unbound_at INTEGER,
  -- From the owner.
  label TEXT,
  -- The profile, as the device reports it.
  class TEXT,
  platform TEXT,
  os_version TEXT,
  arch TEXT,
  engine TEXT,
  nodectl_version TEXT,
  -- JSON.
  hardware TEXT,
  -- JSON.
  benchmark TEXT,
  profile_updated_at INTEGER,
  -- The device's WebSocket. Its object writes these columns when the state changes; an update with a lower revision than the
  -- stored one is late and changes nothing.
  link_state TEXT NOT NULL DEFAULT 'offline',
  link_revision INTEGER NOT NULL DEFAULT 0,
  connected_since INTEGER,
  free_slots INTEGER NOT NULL DEFAULT 0,
  -- Since when the device is faulty: because of its votes, or of benchmark receipts that differ from the pinned ones.
  vote_fault_at INTEGER,
  benchmark_fault_at INTEGER,
  banned_at INTEGER,
  ban_reason TEXT
) WITHOUT ROWID;
CREATE INDEX devices_by_owner ON devices (owner, bound_at DESC, node_id DESC) WHERE unbound_at IS NULL;

-- One row with the number of connected devices: counting them for every request would read them all.
CREATE TABLE relay_totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  connected_devices INTEGER NOT NULL,
  available_slots INTEGER NOT NULL
);
INSERT INTO relay_totals (id, connected_devices, available_slots) VALUES (1, 0, 0);
CREATE TRIGGER relay_totals_follow_devices AFTER UPDATE OF link_state, free_slots ON devices
WHEN (new.link_state, new.free_slots) IS NOT (old.link_state, old.free_slots) BEGIN
  UPDATE relay_totals SET
    connected_devices = connected_devices + (new.link_state <> 'offline') - (old.link_state <> 'offline'),
    available_slots = available_slots + new.free_slots - old.free_slots;
END;
