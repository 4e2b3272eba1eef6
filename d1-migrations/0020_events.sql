-- The log of events, and the notifications of wallets. What a row says is written in the transaction that makes it so:
-- rounds by the statements that end them, everything else by the triggers below.

-- Append-only; ids ascend in the order of the commits. The small columns come first, so that a reader who looks for a few of
-- many rows does not read the bodies of the others.
CREATE TABLE event_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  -- Bytes of all bodies up to this one.
  total INTEGER NOT NULL,
  -- Words with a space on both sides: the types, and the last five characters of each wallet, project and module.
  keys TEXT NOT NULL,
  -- JSON: one event, or the rounds of one transaction (durable-objects/events/round-entries.ts).
  body TEXT NOT NULL
);

-- Objects in which somebody waits for events: writers wake these, and no others.
CREATE TABLE event_followers (
  shard INTEGER PRIMARY KEY,
  until INTEGER NOT NULL
);

CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  at INTEGER NOT NULL,
  is_read INTEGER NOT NULL DEFAULT 0,
  -- JSON: the event.
  body TEXT NOT NULL
);
CREATE INDEX notifications_of_owner ON notifications (owner, id DESC);
CREATE INDEX notifications_unread ON notifications (owner, id DESC) WHERE is_read = 0;

-- One row for each wallet that was ever notified. Up to `read_to` everything is read, whatever its row says.
CREATE TABLE notification_counts (
  owner TEXT PRIMARY KEY,
  unread INTEGER NOT NULL,
  read_to INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER notification_counts_rise AFTER INSERT ON notifications BEGIN
  INSERT INTO notification_counts (owner, unread, read_to) VALUES (new.owner, 1, 0)
  ON CONFLICT (owner) DO UPDATE SET unread = unread + 1;
END;
CREATE TRIGGER notification_counts_fall AFTER UPDATE OF is_read ON notifications WHEN new.is_read > old.is_read BEGIN
  UPDATE notification_counts SET unread = unread - 1 WHERE owner = new.owner AND read_to < new.id;
END;
CREATE TRIGGER notification_counts_forget AFTER DELETE ON notifications WHEN old.is_read = 0 BEGIN
  UPDATE notification_counts SET unread = unread - 1 WHERE owner = old.owner AND read_to < old.id;
END;

-- Posted epochs whose payouts become claimable when their challenge period ends, and how many of these the log has.
CREATE TABLE payouts_to_tell (
  due_at INTEGER NOT NULL,
  project_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  told INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (due_at, project_id, epoch)
) WITHOUT ROWID;

-- The last block whose events the log has, where an index was deleted: the next one reads them again, and tells nothing twice.
CREATE TABLE told_blocks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  block_number INTEGER NOT NULL
);
INSERT INTO told_blocks (id, block_number) VALUES (1, -1);
CREATE TRIGGER told_blocks_stay AFTER DELETE ON chain_cursor BEGIN
  UPDATE told_blocks SET block_number = max(block_number, old.final_number);
END;

-- Takes one event: INSERT INTO new_events writes its row, and the notification of its wallet.
CREATE VIEW new_events AS SELECT '' AS type, 0 AS created_at, '' AS address, '' AS project_id, '' AS node_id,
  '' AS subscription_id, '' AS tx_hash, '' AS data WHERE false;
CREATE TRIGGER new_events_are_logged INSTEAD OF INSERT ON new_events BEGIN
  INSERT INTO event_log (at, total, keys, body)
  SELECT unixepoch(), coalesce((SELECT total FROM event_log ORDER BY id DESC LIMIT 1), 0) + octet_length(body), keys, body
  FROM (SELECT
    ' ' || new.type || coalesce(' ' || substr(new.address, -5), '') || coalesce(' ' || substr(new.project_id, -5), '')
      || ' ' AS keys,
    -- A patch leaves out what is null.
    json_patch('{}', json_object('type', new.type, 'created_at', new.created_at, 'address', new.address,
      'project_id', new.project_id, 'node_id', new.node_id, 'subscription_id', new.subscription_id,
      'tx_hash', new.tx_hash, 'data', json(new.data))) AS body);
  INSERT INTO notifications (owner, at, body)
  SELECT new.address, at, body FROM event_log WHERE id = last_insert_rowid() AND new.address IS NOT NULL
    AND new.type IN ('device.offline', 'subscription.jailed', 'slash.proposed', 'slash.disputed', 'slash.cancelled',
      'slash.executed', 'withdrawal.completed', 'developer.enrollment_approved', 'developer.enrollment_rejected',
      'developer.verified', 'listing.approved', 'listing.rejected', 'project.paused', 'project.delisted');
END;

CREATE TRIGGER events_of_new_devices AFTER INSERT ON devices WHEN new.unbound_at IS NULL BEGIN
  INSERT INTO new_events (type, created_at, address, node_id)
  VALUES ('device.bound', new.bound_at, new.owner, new.node_id);
END;
CREATE TRIGGER events_of_bindings AFTER UPDATE OF binding_hash ON devices WHEN new.binding_hash <> old.binding_hash BEGIN
  INSERT INTO new_events (type, created_at, address, node_id)
  VALUES ('device.bound', new.bound_at, new.owner, new.node_id);
END;
CREATE TRIGGER events_of_unbindings AFTER UPDATE OF unbound_at ON devices
WHEN old.unbound_at IS NULL AND new.unbound_at IS NOT NULL BEGIN
  INSERT INTO new_events (type, created_at, address, node_id)
  VALUES ('device.unbound', new.unbound_at, new.owner, new.node_id);
END;
CREATE TRIGGER events_of_links AFTER UPDATE OF link_state ON devices
WHEN (new.link_state = 'offline') <> (old.link_state = 'offline') AND new.unbound_at IS NULL BEGIN
  INSERT INTO new_events (type, created_at, address, node_id)
  VALUES (iif(new.link_state = 'offline', 'device.offline', 'device.online'), unixepoch(), new.owner, new.node_id);
END;

CREATE TRIGGER events_of_new_subscriptions AFTER INSERT ON subscriptions BEGIN
  INSERT INTO new_events (type, created_at, address, project_id, node_id, subscription_id)
  VALUES ('subscription.created', new.created_at, new.owner, new.project_id, new.node_id, new.subscription_id);
END;
-- A closed one that begins again has a new time, and may end a pause by the way.
CREATE TRIGGER events_of_subscriptions AFTER UPDATE OF created_at, paused_at ON subscriptions
WHEN new.created_at <> old.created_at OR (new.paused_at IS NULL) <> (old.paused_at IS NULL) BEGIN
  INSERT INTO new_events (type, created_at, address, project_id, node_id, subscription_id)
  SELECT CASE WHEN new.created_at <> old.created_at THEN 'subscription.created'
      WHEN new.paused_at IS NULL THEN 'subscription.resumed' ELSE 'subscription.paused' END,
    CASE WHEN new.created_at <> old.created_at THEN new.created_at ELSE coalesce(new.paused_at, unixepoch()) END,
    new.owner, new.project_id, new.node_id, new.subscription_id;
END;

CREATE TRIGGER events_of_new_developers AFTER INSERT ON developers WHEN new.enrollment = 'active' BEGIN
  INSERT INTO new_events (type, created_at, address)
  VALUES ('developer.enrollment_approved', new.updated_at, new.address);
  INSERT INTO new_events (type, created_at, address)
  SELECT 'developer.verified', new.updated_at, new.address WHERE new.verification = 'verified';
END;
CREATE TRIGGER events_of_enrollments AFTER UPDATE OF enrollment ON developers
WHEN new.enrollment <> old.enrollment AND new.enrollment IN ('active', 'rejected') BEGIN
  INSERT INTO new_events (type, created_at, address)
  VALUES (iif(new.enrollment = 'active', 'developer.enrollment_approved', 'developer.enrollment_rejected'),
    new.updated_at, new.address);
END;
CREATE TRIGGER events_of_verifications AFTER UPDATE OF verification ON developers
WHEN new.verification <> old.verification AND new.verification = 'verified' BEGIN
  INSERT INTO new_events (type, created_at, address) VALUES ('developer.verified', new.updated_at, new.address);
END;

CREATE TRIGGER events_of_listings AFTER UPDATE OF listing_status ON projects WHEN new.listing_status <> old.listing_status BEGIN
  INSERT INTO new_events (type, created_at, address, project_id)
  SELECT iif(new.listing_status = 'listed', 'listing.approved', 'listing.rejected'), coalesce(new.reviewed_at, unixepoch()),
    new.developer, new.project_id
  WHERE old.listing_status = 'pending_review' AND new.listing_status IN ('listed', 'rejected');
  INSERT INTO new_events (type, created_at, address, project_id)
  SELECT 'project.' || new.listing_status, unixepoch(), new.developer, new.project_id
  WHERE new.listing_status IN ('listed', 'paused', 'delisted');
END;
-- Nobody but its developer hears of a project that was never listed.
CREATE TRIGGER events_of_versions AFTER UPDATE OF status ON project_versions
WHEN new.status = 'active' AND old.status <> 'active' AND new.version > 1 BEGIN
  INSERT INTO new_events (type, created_at, address, project_id, data)
  SELECT 'project.version_activated', coalesce(new.effective_at, new.submitted_at), p.developer, new.project_id,
    json_object('version', new.version, 'manifest_hash', new.manifest_hash)
  FROM projects AS p WHERE p.project_id = new.project_id
    AND p.listing_status IN ('listed', 'paused', 'underfunded', 'delisted');
END;

-- The first copy of a transaction may be its last one.
CREATE TRIGGER events_of_new_drips AFTER INSERT ON transactions WHEN new.action = 'faucet' AND new.status = 'confirmed' BEGIN
  INSERT INTO new_events (type, created_at, address, tx_hash)
  VALUES ('faucet.dripped', new.updated_at, new.owner, new.tx_hash);
END;
CREATE TRIGGER events_of_drips AFTER UPDATE OF status ON transactions
WHEN new.action = 'faucet' AND new.status = 'confirmed' AND old.status <> 'confirmed' BEGIN
  INSERT INTO new_events (type, created_at, address, tx_hash)
  VALUES ('faucet.dripped', new.updated_at, new.owner, new.tx_hash);
END;
CREATE TRIGGER events_of_withdrawals AFTER UPDATE OF state ON withdrawals
WHEN new.state = 'completed' AND old.state <> 'completed' BEGIN
  INSERT INTO new_events (type, created_at, address, project_id, subscription_id, tx_hash, data)
  VALUES ('withdrawal.completed', coalesce(new.completed_at, unixepoch()), new.account, new.project_id,
    new.subscription_id, new.tx_hash,
    json_object('withdrawal_id', new.withdrawal_id, 'kind', new.kind, 'amount', new.amount));
END;

-- What the chain says is told when its block is final: no reorganisation takes it back.
CREATE TRIGGER events_of_collateral AFTER UPDATE OF provisional ON chain_events
WHEN old.provisional = 1 AND new.provisional = 0 AND new.name IN ('Bonded', 'Unbonding', 'Withdrawn', 'SlashProposed',
  'SlashDisputed', 'SlashCancelled', 'SlashVoided', 'SlashExecuted')
BEGIN
  INSERT INTO new_events (type, created_at, address, project_id, node_id, subscription_id, tx_hash, data)
  SELECT CASE new.name WHEN 'Bonded' THEN 'subscription.active' WHEN 'Unbonding' THEN 'subscription.unbonding'
      WHEN 'Withdrawn' THEN 'withdrawal.completed' WHEN 'SlashProposed' THEN 'slash.proposed'
      WHEN 'SlashDisputed' THEN 'slash.disputed' WHEN 'SlashExecuted' THEN 'slash.executed' ELSE 'slash.cancelled' END,
    new.block_time, c.owner, c.state->>'project_id', s.node_id, c.subject, new.tx_hash,
    json_object('evidence_hash', new.args->>'evidenceHash', 'amount', new.args->>'amount',
      'collateral', new.args->>'collateral', 'release_at', CAST(new.args->>'releaseAt' AS INTEGER),
      'executable_at', CAST(new.args->>'executableAt' AS INTEGER))
  FROM chain_states AS c LEFT JOIN subscriptions AS s ON s.subscription_id = c.subject
  WHERE c.kind = 'subscription' AND c.subject = coalesce(new.args->>'subscriptionId', (
      SELECT e.state->>'subscription_id' FROM chain_states AS e
      WHERE e.kind = 'slash' AND e.subject = new.args->>'evidenceHash'))
    -- Adding collateral is no beginning.
    AND (new.name <> 'Bonded' OR c.state->>'started_at' = new.block_time)
    AND new.block_number > (SELECT block_number FROM told_blocks);
  -- Amounts are decimal text: the longer one is larger.
  INSERT INTO new_events (type, created_at, address, project_id, node_id, subscription_id, tx_hash, data)
  SELECT 'subscription.jailed', new.block_time, s.owner, s.project_id, s.node_id, s.subscription_id, new.tx_hash,
    json_object('evidence_hash', new.args->>'evidenceHash', 'collateral', c.state->>'collateral',
      'min_collateral', s.min_collateral)
  FROM chain_states AS c JOIN subscriptions AS s ON s.subscription_id = c.subject
  WHERE new.name = 'SlashExecuted' AND c.kind = 'subscription' AND c.subject = new.args->>'subscriptionId'
    AND c.state->>'status' = 'bonded'
    AND (length(c.state->>'collateral'), c.state->>'collateral') < (length(s.min_collateral), s.min_collateral)
    AND new.block_number > (SELECT block_number FROM told_blocks);
END;
CREATE TRIGGER events_of_epochs AFTER UPDATE OF provisional ON chain_events
WHEN old.provisional = 1 AND new.provisional = 0 AND new.name = 'EpochPosted'
  AND new.block_number > (SELECT block_number FROM told_blocks)
BEGIN
  INSERT INTO new_events (type, created_at, project_id, tx_hash, data)
  SELECT 'epoch.settled', new.block_time, c.state->>'project_id', new.tx_hash,
    json_object('epoch', CAST(new.args->>'epoch' AS INTEGER), 'merkle_root', new.args->>'merkleRoot',
      'release_at', CAST(new.args->>'releaseAt' AS INTEGER))
  FROM chain_states AS c
  WHERE c.kind = 'vault' AND c.subject = new.contract AND c.state->>'project_id' IS NOT NULL;
  INSERT INTO payouts_to_tell (due_at, project_id, epoch)
  SELECT CAST(new.args->>'releaseAt' AS INTEGER), c.state->>'project_id', CAST(new.args->>'epoch' AS INTEGER)
  FROM chain_states AS c
  WHERE c.kind = 'vault' AND c.subject = new.contract AND c.state->>'project_id' IS NOT NULL
  ON CONFLICT DO NOTHING;
END;
