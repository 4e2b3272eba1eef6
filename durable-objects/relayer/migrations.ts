export const relayerMigrations = [
  `
  -- An action has its row from its acceptance on, and its nonce from its submission on.
  CREATE TABLE relays (
    id TEXT PRIMARY KEY,
    nonce INTEGER UNIQUE,
    action TEXT NOT NULL,
    owner TEXT NOT NULL,
    serialization_key TEXT,
    recipient TEXT NOT NULL,
    data TEXT NOT NULL,
    value_wei TEXT NOT NULL,
    gas INTEGER NOT NULL,
    cost_wei TEXT NOT NULL,
    accepted_at_ms INTEGER NOT NULL,
    status TEXT NOT NULL,
    tx_hash TEXT,
    error TEXT,
    confirmations INTEGER NOT NULL,
    noop INTEGER NOT NULL,
    foreign_since_ms INTEGER,
    final_head INTEGER,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    published_revision INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX relays_open ON relays (nonce) WHERE status IN ('queued', 'sent', 'mined');
  CREATE INDEX relays_unmined ON relays (nonce) WHERE status IN ('queued', 'sent');
  CREATE INDEX relays_by_serialization_key ON relays (serialization_key) WHERE status IN ('queued', 'sent');
  CREATE INDEX relays_unpublished ON relays (accepted_at_ms) WHERE published_revision < revision;
  CREATE INDEX relays_by_owner ON relays (owner, action, accepted_at_ms);
  CREATE INDEX relays_filled ON relays (nonce) WHERE action = 'fill_gap';

  -- Every transaction that was signed, before it is sent.
  CREATE TABLE attempts (
    hash TEXT PRIMARY KEY,
    nonce INTEGER NOT NULL,
    raw TEXT NOT NULL,
    max_fee_wei TEXT NOT NULL,
    tip_wei TEXT NOT NULL,
    signed_at_ms INTEGER NOT NULL,
    accepted INTEGER NOT NULL,
    noop INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX attempts_by_nonce ON attempts (nonce, signed_at_ms);

  -- Nonces that nodes refuse, and for how long.
  CREATE TABLE refusals (
    nonce INTEGER PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    times INTEGER NOT NULL,
    for_good INTEGER NOT NULL
  );

  -- Gas of each UTC day, of all actions and of each owner.
  CREATE TABLE gas_days (day INTEGER PRIMARY KEY, gas INTEGER NOT NULL);
  CREATE TABLE owner_gas (
    day INTEGER NOT NULL,
    owner TEXT NOT NULL,
    gas INTEGER NOT NULL,
    PRIMARY KEY (day, owner)
  ) WITHOUT ROWID;
  `,
]
