-- Alarms of the hub, as the schedule found them last. Each tells the operators when it begins and when it is over, as events of
-- their wallets: so they are notified, and their webhooks are called.
CREATE TABLE hub_alarms (
  name TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  message TEXT NOT NULL,
  -- JSON list of wallets.
  operators TEXT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER hub_alarms_begin AFTER INSERT ON hub_alarms BEGIN
  INSERT INTO new_events (type, created_at, address, data)
  SELECT 'hub.alarm', new.since, value, json_object('alarm', new.name, 'message', new.message)
  FROM json_each(new.operators);
END;
CREATE TRIGGER hub_alarms_end AFTER DELETE ON hub_alarms BEGIN
  INSERT INTO new_events (type, created_at, address, data)
  SELECT 'hub.alarm_over', unixepoch(), value, json_object('alarm', old.name, 'since', old.since)
  FROM json_each(old.operators);
END;

-- As before, with two more types of which wallets are notified: that of 0021_webhooks.sql, and this one.
DROP TRIGGER new_events_are_logged;
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
      'developer.verified', 'listing.approved', 'listing.rejected', 'project.paused', 'project.delisted',
      'webhook.disabled', 'hub.alarm');
END;
