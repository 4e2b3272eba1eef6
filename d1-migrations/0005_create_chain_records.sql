-- What comes from the chain: the states of relayed actions, indexed blocks and events, and what events made.

-- Copies of a state may arrive out of order; the higher revision stays.
ALTER TABLE transactions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- One row: how far the chain is read. Every write of the indexer names the tip it builds on, and changes nothing when
-- that has moved. `final_*` is the last block that no reorganisation removes.
CREATE TABLE chain_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  final_number INTEGER NOT NULL,
  final_hash TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);

-- The latest blocks, to find where two histories part.
CREATE TABLE chain_blocks (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  timestamp INTEGER NOT NULL
);

-- Arguments are JSON, integers in decimal text.
CREATE TABLE chain_events (
  block_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  block_number INTEGER NOT NULL,
  block_time INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  contract TEXT NOT NULL,
  name TEXT NOT NULL,
  args TEXT NOT NULL,
  provisional INTEGER NOT NULL,
  PRIMARY KEY (block_hash, log_index)
) WITHOUT ROWID;
CREATE INDEX chain_events_in_order ON chain_events (block_number, log_index);
CREATE INDEX chain_events_by_name ON chain_events (name, block_number, log_index);
CREATE INDEX chain_events_provisional ON chain_events (block_number) WHERE provisional = 1;

-- Which records an event changes: `kind` and `subject` name a row of chain_states.
CREATE TABLE chain_event_subjects (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  block_number INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  PRIMARY KEY (kind, subject, block_number, log_index)
) WITHOUT ROWID;
CREATE INDEX chain_event_subjects_in_order ON chain_event_subjects (block_number, log_index);

-- What the events of one subject make of it, in chain order; nothing else writes here.
CREATE TABLE chain_states (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  state TEXT NOT NULL,
  owner TEXT,
  block_number INTEGER NOT NULL,
  PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX chain_states_by_owner ON chain_states (kind, owner, subject) WHERE owner IS NOT NULL;

-- Messages that failed every attempt, kept until an operator has seen to them.
CREATE TABLE dead_letters (
  message_id TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  died_at INTEGER NOT NULL,
  resolved_at INTEGER
) WITHOUT ROWID;
CREATE INDEX dead_letters_unresolved ON dead_letters (died_at DESC, message_id) WHERE resolved_at IS NULL;
