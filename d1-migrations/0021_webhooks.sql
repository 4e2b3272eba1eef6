-- Webhooks: the third way to follow the log of events. A reader of the log notes which webhooks wait for a row, and makes the
-- deliveries of these. A network without webhooks writes none of it.

CREATE TABLE webhooks (
  webhook_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  url TEXT NOT NULL,
  -- JSON lists; NULL for all projects.
  types TEXT NOT NULL,
  project_ids TEXT,
  state TEXT NOT NULL,
  -- 'owner' or 'failing'; NULL while it is active.
  disabled_because TEXT,
  -- JSON list, the newest first: sealed under HUB_SECRET.
  secrets TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The first failure since the last success.
  failing_since INTEGER,
  -- When one of what waits is tried again beside its attempts; NULL while it does not fail.
  probe_at INTEGER,
  -- Whether its last attempt took long.
  is_slow INTEGER NOT NULL DEFAULT 0,
  -- Rows of the log before this one are not for it.
  from_row INTEGER NOT NULL,
  -- The number of its newest delivery.
  deliveries INTEGER NOT NULL DEFAULT 0,
  -- Where its part of the log begins that is not delivered yet, and when the reader goes on; NULL where nothing waits.
  next_row INTEGER,
  next_offset INTEGER,
  next_at INTEGER
) WITHOUT ROWID;
CREATE INDEX webhooks_of_owner ON webhooks (owner, created_at DESC, webhook_id DESC);
CREATE INDEX webhooks_active ON webhooks (webhook_id) WHERE state = 'active';
CREATE INDEX webhooks_probed ON webhooks (probe_at) WHERE probe_at IS NOT NULL;
CREATE INDEX webhooks_waiting ON webhooks (next_at) WHERE next_row IS NOT NULL;

-- Rows of the log before `row` are noted for every webhook. The version tells the reader that it has to read the webhooks again.
CREATE TABLE webhook_reader (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  row INTEGER NOT NULL,
  version INTEGER NOT NULL,
  -- How many webhooks are active.
  active INTEGER NOT NULL
);
INSERT INTO webhook_reader (id, row, version, active) VALUES (1, 0, 0, 0);
CREATE TRIGGER webhooks_are_new AFTER INSERT ON webhooks WHEN new.state = 'active' BEGIN
  UPDATE webhook_reader SET version = version + 1, active = active + 1;
END;
CREATE TRIGGER webhooks_change AFTER UPDATE OF state, types, project_ids ON webhooks
WHEN new.state <> old.state OR new.types <> old.types OR new.project_ids IS NOT old.project_ids BEGIN
  UPDATE webhook_reader SET version = version + 1, active = active + (new.state = 'active') - (old.state = 'active');
END;
CREATE TRIGGER webhooks_go AFTER DELETE ON webhooks BEGIN
  UPDATE webhook_reader SET version = version + 1, active = active - (old.state = 'active');
  DELETE FROM webhook_deliveries WHERE webhook_id = old.webhook_id;
END;

CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- 'pending', 'delivered', 'failed', or 'gap' for events that were not sent.
  state TEXT NOT NULL,
  -- What is sent, byte by byte.
  body TEXT NOT NULL,
  -- How many were made, and how many the hub still makes by itself.
  attempts_made INTEGER NOT NULL DEFAULT 0,
  attempts_left INTEGER NOT NULL,
  -- When the next attempt is due; of what is over, when the row goes.
  due_at INTEGER NOT NULL,
  -- JSON list of the newest attempts, oldest first.
  attempts TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (webhook_id, number)
) WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_over ON webhook_deliveries (due_at) WHERE state <> 'pending';

-- A disabled webhook sends nothing by itself. What it would have sent is shown as failed, or as a gap.
CREATE TRIGGER webhooks_end AFTER UPDATE OF state ON webhooks WHEN new.state = 'disabled' AND old.state = 'active' BEGIN
  UPDATE webhook_deliveries SET state = 'failed', due_at = unixepoch() + 2592000
  WHERE webhook_id = new.webhook_id AND state = 'pending';
  INSERT INTO webhook_deliveries (webhook_id, number, created_at, state, body, attempts_left, due_at)
  SELECT new.webhook_id, new.deliveries + 1, unixepoch(), 'gap',
    json_object('type', 'webhook.gap', 'created_at', unixepoch(), 'data', json_object('reason', 'disabled')),
    0, unixepoch() + 2592000
  -- Of rows that the reader has not seen, nobody knows.
  WHERE new.next_row IS NOT NULL
    OR (SELECT max(row, new.from_row) FROM webhook_reader) <= (SELECT max(id) FROM event_log);
  UPDATE webhooks SET next_row = NULL, next_offset = NULL, next_at = NULL, probe_at = NULL,
    deliveries = max(deliveries, (SELECT coalesce(max(number), 0) FROM webhook_deliveries WHERE webhook_id = new.webhook_id))
  WHERE webhook_id = new.webhook_id;
  INSERT INTO new_events (type, created_at, address, data)
  SELECT 'webhook.disabled', unixepoch(), new.owner,
    json_object('webhook_id', new.webhook_id, 'url', new.url, 'failing_since', new.failing_since)
  WHERE new.disabled_because = 'failing';
END;
