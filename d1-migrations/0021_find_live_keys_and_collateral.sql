-- What is asked on every call, or before every write, is found without reading what is over.

-- Keys that were not revoked: as they are listed, and as those alive are counted. A key without an end outlives all others.
DROP INDEX api_keys_by_owner;
CREATE INDEX api_keys_newest ON api_keys (owner, created_at DESC, key_id DESC) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_live ON api_keys (owner, coalesce(expires_at, 9007199254740991)) WHERE revoked_at IS NULL;

-- The collateral behind a node's key, for every request that the node signs.
CREATE INDEX chain_bonds_by_node ON chain_states (json_extract(state, '$.node_key'))
  WHERE kind = 'subscription' AND json_extract(state, '$.status') = 'bonded';
