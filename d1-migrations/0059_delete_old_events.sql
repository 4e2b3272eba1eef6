-- Up to which event, in the order of the chain, those that nobody reads any longer are deleted.
ALTER TABLE chain_cursor ADD COLUMN swept_number INTEGER NOT NULL DEFAULT -1;
ALTER TABLE chain_cursor ADD COLUMN swept_log INTEGER NOT NULL DEFAULT -1;

-- Whether an event is of a transaction that the hub has a record of.
CREATE INDEX transactions_by_hash ON transactions (tx_hash) WHERE tx_hash IS NOT NULL;
