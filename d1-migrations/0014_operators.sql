-- Settings and decisions of operators.

-- Rows are never changed.
CREATE TABLE audit_log (
  entry INTEGER PRIMARY KEY,
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason TEXT,
  -- JSON.
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX audit_log_by_subject ON audit_log (subject, entry DESC);

-- One row once an operator changed a setting; null stands for the deployment's own setting.
CREATE TABLE faucet_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  enabled INTEGER NOT NULL,
  amount_wei TEXT,
  native_wei TEXT,
  updated_at INTEGER NOT NULL
);
