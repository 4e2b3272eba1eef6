-- The indexed chain: how far it is read, blocks, events, and the states that events lead to.

-- One row. Every write of the indexer names the block it builds on, and changes nothing if the index has moved since.
CREATE TABLE chain_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  -- The last block that no reorganisation removes.
  final_number INTEGER NOT NULL,
  final_hash TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  -- JSON: chain, first block and contracts of this index. The indexer refuses to continue it with other settings.
  network TEXT NOT NULL DEFAULT '{}',
  -- The most seconds by which a new block was ahead of the machine's clock when it was indexed.
  lead_secs INTEGER NOT NULL DEFAULT 0,
  -- Set while the index catches up: an event that it lacks may exist on the chain.
  is_behind INTEGER NOT NULL DEFAULT 0,
  -- How often a chain node returned other logs of the same blocks than before.
  log_differences INTEGER NOT NULL DEFAULT 0,
  -- The last event, in the order of the chain, up to which unused events are deleted.
  swept_number INTEGER NOT NULL DEFAULT -1,
  swept_log INTEGER NOT NULL DEFAULT -1
);

-- The latest blocks: a reorganisation is found by comparing them with the chain.
CREATE TABLE chain_blocks (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  timestamp INTEGER NOT NULL
);

CREATE TABLE chain_events (
  block_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  block_number INTEGER NOT NULL,
  block_time INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  contract TEXT NOT NULL,
  name TEXT NOT NULL,
  -- JSON; integers are decimal text.
  args TEXT NOT NULL,
  -- Set until the block is final.
  provisional INTEGER NOT NULL,
  PRIMARY KEY (block_hash, log_index)
) WITHOUT ROWID;
CREATE INDEX chain_events_in_order ON chain_events (block_number, log_index);
CREATE INDEX chain_events_by_name ON chain_events (name, block_number, log_index);
CREATE INDEX chain_events_provisional ON chain_events (block_number) WHERE provisional = 1;
-- Tells whether the events of a relayed transaction are indexed.
CREATE INDEX chain_events_by_transaction ON chain_events (tx_hash);
-- A committee set needs the events of each subscription that changed after the beacon.
CREATE INDEX chain_events_by_subscription
  ON chain_events (json_extract(args, '$.subscriptionId'), block_number, log_index)
  WHERE json_extract(args, '$.subscriptionId') IS NOT NULL;

-- Logs that were read of blocks that are not final. They are read again and compared before the block becomes final.
CREATE TABLE chain_unconfirmed_logs (
  block_number INTEGER PRIMARY KEY,
  block_hash TEXT NOT NULL,
  -- JSON: the indexes of the logs, in order.
  log_indexes TEXT NOT NULL
);

-- The state of each subject after all of its events, in the order of the chain. Only the indexer writes here.
CREATE TABLE chain_states (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON.
  state TEXT NOT NULL,
  owner TEXT,
  block_number INTEGER NOT NULL,
  PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX chain_states_by_owner ON chain_states (kind, owner, subject) WHERE owner IS NOT NULL;
CREATE INDEX chain_slashes_by_subscription ON chain_states (json_extract(state, '$.subscription_id'))
  WHERE kind = 'slash';
-- The collateral behind a node's key, which every request of the node asks for.
CREATE INDEX chain_bonds_by_node ON chain_states (json_extract(state, '$.node_key'))
  WHERE kind = 'subscription' AND json_extract(state, '$.status') = 'bonded';
-- Slashes that may be due for execution, and disputes that may be due for their end.
CREATE INDEX chain_slashes_proposed ON chain_states (json_extract(state, '$.executable_at'))
  WHERE kind = 'slash' AND json_extract(state, '$.status') = 'proposed';
CREATE INDEX chain_slashes_disputed ON chain_states (json_extract(state, '$.disputed_at'))
  WHERE kind = 'slash' AND json_extract(state, '$.status') = 'disputed';

-- The state of a subject before a block that is not final changed it: a reorganisation restores it. `state` is null if the
-- block created the subject.
CREATE TABLE chain_states_before (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  block_number INTEGER NOT NULL,
  state TEXT,
  owner TEXT,
  state_block_number INTEGER,
  PRIMARY KEY (kind, subject, block_number)
) WITHOUT ROWID;
CREATE INDEX chain_states_before_in_order ON chain_states_before (block_number);

-- The block of each beacon, once it is final. The key and the hash determine the value and the target time.
CREATE TABLE beacons (
  epoch_secs INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  PRIMARY KEY (epoch_secs, epoch)
) WITHOUT ROWID;
