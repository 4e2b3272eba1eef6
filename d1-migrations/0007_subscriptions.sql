-- Subscriptions of devices to projects: the columns that the hub itself keeps beside their state on the chain.

CREATE TABLE subscriptions (
  subscription_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  node_id TEXT NOT NULL,
  node_key TEXT NOT NULL,
  -- How often the chain had closed the subscription before this row: one closing more closes it.
  closings INTEGER NOT NULL,
  -- When the owner paused it; a slash that jails the subscription ends the pause.
  paused_at INTEGER,
  -- Triggers copy these two from the project and the device, so a page of subscriptions reads neither.
  min_collateral TEXT NOT NULL DEFAULT '0',
  device_bound INTEGER NOT NULL DEFAULT 0,
  reputation INTEGER NOT NULL,
  credited_rounds INTEGER NOT NULL,
  missed_leases INTEGER NOT NULL,
  disagreements INTEGER NOT NULL,
  last_proof_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX subscriptions_by_owner ON subscriptions (owner, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_by_project ON subscriptions (project_id, subscription_id);
CREATE INDEX subscriptions_by_node ON subscriptions (node_id, subscription_id);
-- The order of keys in which a committee set is built.
CREATE INDEX subscriptions_by_project_and_key ON subscriptions (project_id, node_key, subscription_id);

CREATE VIEW subscription_facts AS
SELECT s.subscription_id, coalesce(p.min_collateral, '0') AS min_collateral,
  coalesce(d.unbound_at IS NULL AND d.owner = s.owner, 0) AS device_bound
FROM subscriptions AS s
LEFT JOIN projects AS p ON p.project_id = s.project_id
LEFT JOIN devices AS d ON d.node_id = s.node_id;

CREATE TRIGGER subscriptions_begin AFTER INSERT ON subscriptions BEGIN
  UPDATE subscriptions SET (min_collateral, device_bound) = (
    SELECT f.min_collateral, f.device_bound FROM subscription_facts AS f
    WHERE f.subscription_id = new.subscription_id)
  WHERE subscription_id = new.subscription_id;
END;
CREATE TRIGGER subscriptions_follow_project AFTER UPDATE OF min_collateral ON projects
WHEN new.min_collateral IS NOT old.min_collateral BEGIN
  UPDATE subscriptions SET min_collateral = new.min_collateral WHERE project_id = new.project_id;
END;
CREATE TRIGGER subscriptions_follow_device AFTER UPDATE OF owner, unbound_at ON devices
WHEN (new.owner, new.unbound_at) IS NOT (old.owner, old.unbound_at) BEGIN
  UPDATE subscriptions SET device_bound = (new.unbound_at IS NULL AND owner = new.owner) WHERE node_id = new.node_id;
END;

CREATE VIEW bonded_subscriptions AS
SELECT s.subscription_id, s.project_id, s.node_id FROM subscriptions AS s
JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id AND c.state->>'status' = 'bonded';

-- A device that reports another class moves from one count to another in each project it is bonded to. Counting again would
-- read every device of these projects, as often as one device likes.
CREATE TRIGGER projects_follow_device_class AFTER UPDATE OF class ON devices WHEN new.class IS NOT old.class BEGIN
  UPDATE projects SET devices_by_class = (
    SELECT json_group_object(class, devices) FROM (
      SELECT class, sum(devices) AS devices FROM (
        SELECT key AS class, value AS devices FROM json_each(projects.devices_by_class)
        UNION ALL
        SELECT iif(side.value, coalesce(new.class, 'unknown'), coalesce(old.class, 'unknown')), iif(side.value, 1, -1)
        FROM json_each('[0,1]') AS side, bonded_subscriptions AS b
        WHERE b.node_id = new.node_id AND b.project_id = projects.project_id)
      GROUP BY class HAVING sum(devices) > 0))
  WHERE project_id IN (SELECT b.project_id FROM bonded_subscriptions AS b WHERE b.node_id = new.node_id);
END;
