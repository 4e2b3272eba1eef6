-- A transaction that was relayed says whether its events are indexed.
CREATE INDEX chain_events_by_transaction ON chain_events (tx_hash);
