-- Slashes: what the chain does not know of them, and where they stand.

-- One row for an offence, whatever evidence was posted for it first. `status` follows from the row and from what the chain
-- says: triggers keep it in step, so that lists by status read nothing but what they show.
CREATE TABLE slashes (
  evidence_hash TEXT PRIMARY KEY,
  -- keccak-256 of kind, round id and node key, as the contract knows the offence.
  offence_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  project_id TEXT NOT NULL,
  round_id TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  node_id TEXT NOT NULL,
  bp INTEGER NOT NULL,
  amount TEXT NOT NULL,
  -- The evidence as JSON; null when it is so large that it lies in the bucket, under its hash.
  evidence TEXT,
  status TEXT NOT NULL,
  -- Why nothing is proposed: `no_penalty`, `no_collateral`, or `given_up` by an operator.
  closed_reason TEXT,
  dispute_reason TEXT,
  -- JSON.
  dispute_links TEXT,
  dispute_filed_at INTEGER,
  -- What an operator decided, which the arbiter's key brings to the chain.
  decision TEXT,
  decided_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Lists are newest first; the hash parts those of one second.
CREATE INDEX slashes_newest ON slashes (created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_status ON slashes (status, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_project ON slashes (project_id, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_project_status ON slashes (project_id, status, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_owner ON slashes (owner, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_owner_status ON slashes (owner, status, created_at DESC, evidence_hash DESC);
-- What holds a withdrawal back before the chain knows of it.
CREATE INDEX slashes_unproposed ON slashes (subscription_id) WHERE status = 'recorded';

-- What may be due: to be executed, or to be ended undecided.
CREATE INDEX chain_slashes_proposed ON chain_states (json_extract(state, '$.executable_at'))
  WHERE kind = 'slash' AND json_extract(state, '$.status') = 'proposed';
CREATE INDEX chain_slashes_disputed ON chain_states (json_extract(state, '$.disputed_at'))
  WHERE kind = 'slash' AND json_extract(state, '$.status') = 'disputed';

-- The version that evidence names by its consensus.
CREATE INDEX project_versions_by_consensus ON project_versions (project_id, consensus_hash);

-- A dispute stands from its filing on, also while the chain has not got it, until it is decided there or an operator upheld
-- the slash against one that came too late for the chain.
CREATE VIEW slash_statuses AS
SELECT s.evidence_hash, CASE
    WHEN c.subject IS NULL THEN iif(s.closed_reason IS NULL, 'recorded', 'cancelled')
    WHEN c.state->>'status' = 'proposed' AND c.state->>'outcome' IS NULL AND s.dispute_filed_at IS NOT NULL
      AND s.decision IS NOT 'uphold' THEN 'disputed'
    ELSE c.state->>'status' END AS status
FROM slashes AS s
LEFT JOIN chain_states AS c ON c.kind = 'slash' AND c.subject = s.evidence_hash;

CREATE TRIGGER slashes_begin AFTER INSERT ON slashes BEGIN
  UPDATE slashes SET status = (SELECT f.status FROM slash_statuses AS f WHERE f.evidence_hash = new.evidence_hash)
  WHERE evidence_hash = new.evidence_hash;
END;
CREATE TRIGGER slashes_follow_row AFTER UPDATE OF closed_reason, dispute_filed_at, decision ON slashes BEGIN
  UPDATE slashes SET status = (SELECT f.status FROM slash_statuses AS f WHERE f.evidence_hash = new.evidence_hash)
  WHERE evidence_hash = new.evidence_hash;
END;
CREATE TRIGGER slashes_follow_chain AFTER INSERT ON chain_states WHEN new.kind = 'slash' BEGIN
  UPDATE slashes SET status = (SELECT f.status FROM slash_statuses AS f WHERE f.evidence_hash = new.subject)
  WHERE evidence_hash = new.subject;
END;
CREATE TRIGGER slashes_follow_chain_change AFTER UPDATE OF state ON chain_states WHEN new.kind = 'slash' BEGIN
  UPDATE slashes SET status = (SELECT f.status FROM slash_statuses AS f WHERE f.evidence_hash = new.subject)
  WHERE evidence_hash = new.subject;
END;
CREATE TRIGGER slashes_follow_chain_back AFTER DELETE ON chain_states WHEN old.kind = 'slash' BEGIN
  UPDATE slashes SET status = (SELECT f.status FROM slash_statuses AS f WHERE f.evidence_hash = old.subject)
  WHERE evidence_hash = old.subject;
END;
-- A slash and the wish to propose it are closed together. An operator who gives the wish up closes the slash.
CREATE TRIGGER slashes_end_proposal AFTER UPDATE OF closed_reason ON slashes WHEN new.closed_reason IS NOT NULL BEGIN
  UPDATE hub_actions SET state = 'closed'
  WHERE kind = 'propose_slash' AND subject = new.evidence_hash AND state = 'open';
END;
CREATE TRIGGER slashes_follow_proposal AFTER UPDATE OF state ON hub_actions
WHEN new.kind = 'propose_slash' AND new.state = 'closed' BEGIN
  UPDATE slashes SET closed_reason = 'given_up' WHERE evidence_hash = new.subject AND closed_reason IS NULL;
END;
