-- Slashes: the columns that the hub itself keeps beside their state on the chain, and evidence that waits.

-- One row for each offence, whatever evidence came first.
CREATE TABLE slashes (
  evidence_hash TEXT PRIMARY KEY,
  -- keccak-256 of kind, round id and node key, by which the contract knows the offence.
  offence_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  project_id TEXT NOT NULL,
  round_id TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  node_id TEXT NOT NULL,
  bp INTEGER NOT NULL,
  amount TEXT NOT NULL,
  -- JSON; null if it is so large that it is a file under its hash.
  evidence TEXT,
  -- Triggers derive it from the row and from the chain's state, so a list by status reads only the rows it shows.
  status TEXT NOT NULL,
  -- Why nothing is proposed: `no_penalty`, `no_collateral`, or `given_up` by an operator.
  closed_reason TEXT,
  dispute_reason TEXT,
  -- JSON.
  dispute_links TEXT,
  dispute_filed_at INTEGER,
  -- The decision of an operator, which the arbiter's key sends to the chain.
  decision TEXT,
  decided_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Lists are newest first; the hash orders slashes of one second.
CREATE INDEX slashes_newest ON slashes (created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_status ON slashes (status, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_project ON slashes (project_id, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_project_status ON slashes (project_id, status, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_owner ON slashes (owner, created_at DESC, evidence_hash DESC);
CREATE INDEX slashes_by_owner_status ON slashes (owner, status, created_at DESC, evidence_hash DESC);
-- Slashes that block a withdrawal before the chain knows of them.
CREATE INDEX slashes_unproposed ON slashes (subscription_id) WHERE status = 'recorded';
-- The slash for a member's vote in a round.
CREATE INDEX slashes_of_round ON slashes (round_id, node_id);

-- A slash counts as disputed from the filing on, also while the chain does not know of the dispute. That ends when the chain
-- has a decision, or when an operator upholds the slash because the dispute came too late for the chain.
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
-- A slash and the action that proposes it are closed together. An operator who gives the action up closes the slash.
CREATE TRIGGER slashes_end_proposal AFTER UPDATE OF closed_reason ON slashes WHEN new.closed_reason IS NOT NULL BEGIN
  UPDATE hub_actions SET state = 'closed'
  WHERE kind = 'propose_slash' AND subject = new.evidence_hash AND state = 'open';
END;
CREATE TRIGGER slashes_follow_proposal AFTER UPDATE OF state ON hub_actions
WHEN new.kind = 'propose_slash' AND new.state = 'closed' BEGIN
  UPDATE slashes SET closed_reason = 'given_up' WHERE evidence_hash = new.subject AND closed_reason IS NULL;
END;

-- Evidence of missed votes that arrives before the round is over. The hub judges it when the round ends, and keeps the first
-- of each offence.
CREATE TABLE early_evidence (
  offence_id TEXT PRIMARY KEY,
  round_id TEXT NOT NULL,
  -- JSON.
  evidence TEXT NOT NULL,
  -- In network time.
  received_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX early_evidence_by_age ON early_evidence (received_at);

-- Rounds whose offences are not recorded yet. The row goes when they are.
CREATE TABLE round_offences (
  round_id TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX round_offences_due ON round_offences (next_attempt_at);
