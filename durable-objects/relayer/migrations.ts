/** The tables of a relayer, in the order they came about; objects that exist apply what they have not applied yet. */
export const relayerMigrations = [
  `CREATE TABLE relays (
    id TEXT PRIMARY KEY,
    nonce INTEGER NOT NULL UNIQUE,
    action TEXT NOT NULL,
    owner TEXT NOT NULL,
    lane TEXT,
    recipient TEXT NOT NULL,
    data TEXT NOT NULL,
    value_wei TEXT NOT NULL,
    gas INTEGER NOT NULL,
    status TEXT NOT NULL,
    tx_hash TEXT,
    error TEXT,
    confirmations INTEGER NOT NULL,
    hollow INTEGER NOT NULL,
    stranger_since_ms INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    shown_revision INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE INDEX relays_open ON relays (nonce) WHERE status IN ('queued', 'sent', 'mined')`,
  `CREATE INDEX relays_in_lane ON relays (lane) WHERE status IN ('queued', 'sent')`,
  'CREATE INDEX relays_to_show ON relays (nonce) WHERE shown_revision < revision',
  `CREATE TABLE attempts (
    hash TEXT PRIMARY KEY,
    nonce INTEGER NOT NULL,
    raw TEXT NOT NULL,
    max_fee_wei TEXT NOT NULL,
    tip_wei TEXT NOT NULL,
    signed_at_ms INTEGER NOT NULL,
    accepted INTEGER NOT NULL
  ) WITHOUT ROWID`,
  'CREATE INDEX attempts_by_nonce ON attempts (nonce, signed_at_ms)',
  'ALTER TABLE attempts ADD COLUMN hollow INTEGER NOT NULL DEFAULT 0',
  `CREATE TABLE admissions (
    id TEXT PRIMARY KEY,
    action TEXT NOT NULL,
    owner TEXT NOT NULL,
    lane TEXT,
    recipient TEXT NOT NULL,
    data TEXT NOT NULL,
    value_wei TEXT NOT NULL,
    gas INTEGER NOT NULL,
    cost_wei TEXT NOT NULL,
    admitted_at_ms INTEGER NOT NULL,
    shown INTEGER NOT NULL
  ) WITHOUT ROWID`,
  'CREATE INDEX admissions_in_lane ON admissions (lane)',
  'CREATE INDEX admissions_by_age ON admissions (admitted_at_ms)',
  'CREATE INDEX admissions_to_show ON admissions (admitted_at_ms) WHERE shown = 0',

  // One table: an action has its row from its acceptance on, and its nonce from its submission on.
  `CREATE TABLE accepted_relays (
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
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    published_revision INTEGER NOT NULL
  ) WITHOUT ROWID`,
  // What a submitted action costs follows from its attempts.
  `INSERT INTO accepted_relays
    SELECT id, nonce, action, owner, lane, recipient, data, value_wei, gas, value_wei, created_at * 1000, status, tx_hash,
      error, confirmations, hollow, stranger_since_ms, updated_at, revision, shown_revision FROM relays`,
  `INSERT INTO accepted_relays
    SELECT id, NULL, action, owner, lane, recipient, data, value_wei, gas, cost_wei, admitted_at_ms, 'queued', NULL,
      NULL, 0, 0, NULL, admitted_at_ms / 1000, 1, shown FROM admissions`,
  'DROP TABLE admissions',
  'DROP TABLE relays',
  'ALTER TABLE accepted_relays RENAME TO relays',
  `CREATE INDEX relays_open ON relays (nonce) WHERE status IN ('queued', 'sent', 'mined')`,
  `CREATE INDEX relays_unmined ON relays (nonce) WHERE status IN ('queued', 'sent')`,
  `CREATE INDEX relays_by_serialization_key ON relays (serialization_key) WHERE status IN ('queued', 'sent')`,
  'CREATE INDEX relays_unpublished ON relays (accepted_at_ms) WHERE published_revision < revision',
  'ALTER TABLE attempts RENAME COLUMN hollow TO noop',

  'CREATE INDEX relays_by_owner ON relays (owner, action, accepted_at_ms)',
  'CREATE TABLE gas_days (day INTEGER PRIMARY KEY, gas INTEGER NOT NULL)',
  'ALTER TABLE relays ADD COLUMN final_head INTEGER',

  `CREATE TABLE refusals (
    nonce INTEGER PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    times INTEGER NOT NULL,
    for_good INTEGER NOT NULL
  )`,
  `CREATE INDEX relays_filled ON relays (nonce) WHERE action = 'fill_gap'`,

  `CREATE TABLE owner_gas (
    day INTEGER NOT NULL,
    owner TEXT NOT NULL,
    gas INTEGER NOT NULL,
    PRIMARY KEY (day, owner)
  ) WITHOUT ROWID`,
]
