-- A reorganisation must not cost what a subject has lived through, so the last blocks are undone instead of folding all
-- events of a subject anew. Blocks that were read before have nothing to be undone with, so the chain is read again.
DROP TABLE chain_event_subjects;

-- What a subject was before a block that may still be dropped changed it; `state` is null when the block made it.
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

DELETE FROM chain_cursor;
DELETE FROM chain_blocks;
DELETE FROM chain_events;
DELETE FROM chain_states;
