-- What the hub keeps of subscriptions beside what the chain says of them, and the faucet as operators set it.

-- `closings` is how often the chain had closed the subscription when this record began: one closing more closes it.
-- `paused_at` is the pause as it was asked for; a slash that jails the subscription ends it.
CREATE TABLE subscriptions (
  subscription_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  node_id TEXT NOT NULL,
  node_key TEXT NOT NULL,
  closings INTEGER NOT NULL,
  paused_at INTEGER,
  reputation INTEGER NOT NULL,
  credited_rounds INTEGER NOT NULL,
  missed_leases INTEGER NOT NULL,
  disagreements INTEGER NOT NULL,
  last_proof_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX subscriptions_by_owner ON subscriptions (owner, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_by_project ON subscriptions (project_id, subscription_id);
CREATE INDEX subscriptions_by_node ON subscriptions (node_id, subscription_id);

-- The slashes of one subscription, which their states name.
CREATE INDEX chain_slashes_by_subscription ON chain_states (json_extract(state, '$.subscription_id'))
  WHERE kind = 'slash';

-- One row once an operator set something; null stands for the deployment's own setting.
CREATE TABLE faucet_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  enabled INTEGER NOT NULL,
  amount_wei TEXT,
  native_wei TEXT,
  updated_at INTEGER NOT NULL
);
