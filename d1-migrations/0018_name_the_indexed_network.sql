-- What the index was begun with, as JSON: chain, first block and contracts. With other settings it is not gone on with.
ALTER TABLE chain_cursor ADD COLUMN network TEXT NOT NULL DEFAULT '{}';

-- Registered hashes are states of their versions, and reopened epochs are indexed. Both need events from the beginning,
-- so the chain is read again.
DELETE FROM chain_cursor;
DELETE FROM chain_blocks;
DELETE FROM chain_events;
DELETE FROM chain_states;
DELETE FROM chain_states_before;
