-- Actions on their way to the chain: those that owners sign, and those that the hub sends by itself.

-- Copies of the relayer's records, and signed actions that somebody else sent to the chain.
CREATE TABLE transactions (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  owner TEXT NOT NULL,
  status TEXT NOT NULL,
  tx_hash TEXT,
  error TEXT,
  confirmations INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Copies may arrive in any order; the highest revision stays.
  revision INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
-- Actions of others that are not final. The relayer does not follow them, so their revision is 0.
CREATE INDEX transactions_to_follow ON transactions (updated_at) WHERE revision = 0 AND status = 'sent';
-- Tells whether an event is of a transaction that the hub has a record of.
CREATE INDEX transactions_by_hash ON transactions (tx_hash) WHERE tx_hash IS NOT NULL;

-- Actions that the hub wants on the chain: for each subject the newest. The hub tries until the chain has it, or an operator
-- gives it up.
CREATE TABLE hub_actions (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON; its members depend on the kind.
  wanted TEXT NOT NULL,
  -- Rises with every change of `wanted`, so the outcome of an earlier one changes nothing.
  revision INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  last_error TEXT,
  wanted_at INTEGER NOT NULL,
  PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX hub_actions_due ON hub_actions (next_attempt_at) WHERE state = 'open';

-- Messages that failed every attempt, for operators.
CREATE TABLE dead_letters (
  message_id TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  died_at INTEGER NOT NULL,
  resolved_at INTEGER,
  -- `resent` or `closed` by an operator; `done` when the chain has the action of the message.
  resolution TEXT
) WITHOUT ROWID;
CREATE INDEX dead_letters_unresolved ON dead_letters (died_at DESC, message_id) WHERE resolved_at IS NULL;
