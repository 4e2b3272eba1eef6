-- What the hub itself wants on the chain: a row for each thing it is about, with the newest wish. It is tried until the
-- chain has it, or an operator gives it up.
CREATE TABLE hub_actions (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON; what it says depends on the kind.
  wanted TEXT NOT NULL,
  -- Rises with every wish, so that what is noted about an older one changes nothing.
  revision INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  last_error TEXT,
  wanted_at INTEGER NOT NULL,
  PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX hub_actions_due ON hub_actions (next_attempt_at) WHERE state = 'open';

-- Not the first wish: messages about an earlier one may still be on their way.
INSERT INTO hub_actions
SELECT 'set_listing_status', project_id, json_object('listing_status', listing_status), 2, 'open', 0, mirror_since, NULL,
  mirror_since
FROM projects WHERE mirror_since IS NOT NULL;

DROP INDEX projects_to_mirror;
ALTER TABLE projects DROP COLUMN mirror_since;

-- How a dead letter was seen to: `resent` or `closed` by an operator, `done` when the chain has what it was about.
ALTER TABLE dead_letters ADD COLUMN resolution TEXT;
