-- Which logs were read of blocks that are not final yet, as a JSON list of their indexes in order. Before a block counts as
-- final they are read again and compared.
CREATE TABLE chain_unconfirmed_logs (
  block_number INTEGER PRIMARY KEY,
  block_hash TEXT NOT NULL,
  log_indexes TEXT NOT NULL
);

INSERT INTO chain_unconfirmed_logs (block_number, block_hash, log_indexes)
SELECT block_number, block_hash, json_group_array(log_index)
FROM (SELECT block_number, block_hash, log_index FROM chain_events WHERE provisional = 1
  ORDER BY block_number, log_index)
GROUP BY block_number, block_hash;

-- How often a node gave other logs of the same blocks than before.
ALTER TABLE chain_cursor ADD COLUMN log_differences INTEGER NOT NULL DEFAULT 0;
