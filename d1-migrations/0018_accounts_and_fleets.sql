-- Groups of devices, what subscriptions and devices show of their work, and the order of wallets in leaderboards.

CREATE TABLE device_groups (
  owner TEXT NOT NULL,
  group_id TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the name or the members last changed.
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, group_id)
) WITHOUT ROWID;

-- The group that the owner put the device into: one at most.
ALTER TABLE devices ADD COLUMN group_id TEXT;
CREATE INDEX devices_of_group ON devices (owner, group_id, bound_at DESC, node_id DESC) WHERE group_id IS NOT NULL;
-- The version of the program that mines, as the device reports it.
ALTER TABLE devices ADD COLUMN miner_version TEXT;
-- Since when `link_state` is as it is.
ALTER TABLE devices ADD COLUMN link_state_at INTEGER;

-- Credited units since the subscription began.
ALTER TABLE subscriptions ADD COLUMN units INTEGER NOT NULL DEFAULT 0;
-- JSON: of the last UTC days, each by its number since 1970, the list of units, answered and asked leases. It is a column
-- because the row is written with every round anyway.
ALTER TABLE subscriptions ADD COLUMN days TEXT NOT NULL DEFAULT '{}';
-- Triggers copy these two from the project.
ALTER TABLE subscriptions ADD COLUMN project_name TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriptions ADD COLUMN token TEXT;
CREATE INDEX subscriptions_of_project_newest ON subscriptions (project_id, created_at DESC, subscription_id DESC);
UPDATE subscriptions SET units = l.units FROM (
  SELECT subscription_id, sum(units) AS units FROM leases WHERE units > 0 GROUP BY subscription_id) AS l
WHERE l.subscription_id = subscriptions.subscription_id;
UPDATE subscriptions SET (project_name, token) = (
  SELECT p.name, p.token FROM projects AS p WHERE p.project_id = subscriptions.project_id)
WHERE project_id IN (SELECT project_id FROM projects);

CREATE TRIGGER subscriptions_begin_named AFTER INSERT ON subscriptions BEGIN
  UPDATE subscriptions SET (project_name, token) = (
    SELECT p.name, p.token FROM projects AS p WHERE p.project_id = new.project_id)
  WHERE subscription_id = new.subscription_id AND EXISTS (SELECT 1 FROM projects WHERE project_id = new.project_id);
END;
CREATE TRIGGER subscriptions_follow_project_name AFTER UPDATE OF name, token ON projects
WHEN (new.name, new.token) IS NOT (old.name, old.token) BEGIN
  UPDATE subscriptions SET project_name = new.name, token = new.token WHERE project_id = new.project_id;
END;

-- What a vetoed epoch had earned is taken off again, and comes back where the veto does not last.
UPDATE earning_days SET units = earning_days.units - v.units, part_0 = earning_days.part_0 - v.p0,
  part_1 = earning_days.part_1 - v.p1, part_2 = earning_days.part_2 - v.p2, part_3 = earning_days.part_3 - v.p3,
  part_4 = earning_days.part_4 - v.p4, part_5 = earning_days.part_5 - v.p5
FROM (
  SELECT e.miner, (r.starts_at + r.epoch_secs - 1) / 86400 AS day, r.project_id, r.token, sum(e.units) AS units,
    sum(CAST(substr(printf('%078d', 0) || e.amount, -78, 13) AS INTEGER)) AS p0,
    sum(CAST(substr(printf('%078d', 0) || e.amount, -65, 13) AS INTEGER)) AS p1,
    sum(CAST(substr(printf('%078d', 0) || e.amount, -52, 13) AS INTEGER)) AS p2,
    sum(CAST(substr(printf('%078d', 0) || e.amount, -39, 13) AS INTEGER)) AS p3,
    sum(CAST(substr(printf('%078d', 0) || e.amount, -26, 13) AS INTEGER)) AS p4,
    sum(CAST(substr(printf('%078d', 0) || e.amount, -13, 13) AS INTEGER)) AS p5
  FROM epoch_receipts AS r JOIN epoch_shares AS e ON e.project_id = r.project_id AND e.epoch = r.epoch
  WHERE r.state = 'vetoed' GROUP BY 1, 2, 3, 4) AS v
WHERE earning_days.miner = v.miner AND earning_days.day = v.day AND earning_days.project_id = v.project_id
  AND earning_days.token = v.token;

-- Attested earnings of wallets, in the order of leaderboards: in a project, or in the network by the token that they are
-- paid in. Amounts are in parts, as in `earning_days`.
CREATE TABLE earning_standings (
  -- The id of a project, or the address of a token.
  scope TEXT NOT NULL,
  -- Days before the running one; 0 for all days.
  period INTEGER NOT NULL,
  address TEXT NOT NULL,
  units INTEGER NOT NULL,
  part_0 INTEGER NOT NULL,
  part_1 INTEGER NOT NULL,
  part_2 INTEGER NOT NULL,
  part_3 INTEGER NOT NULL,
  part_4 INTEGER NOT NULL,
  part_5 INTEGER NOT NULL,
  PRIMARY KEY (scope, period, address)
) WITHOUT ROWID;
CREATE INDEX earning_standings_by_units ON earning_standings (scope, period, units DESC, address);
-- Near enough for an order: amounts that differ in their first 15 digits.
CREATE INDEX earning_standings_by_amount ON earning_standings (scope, period,
  (part_0 * 1e65 + part_1 * 1e52 + part_2 * 1e39 + part_3 * 1e26 + part_4 * 1e13 + part_5) DESC, address);

-- How far each period has left days behind, in the order of `earning_days_by_day`: what is behind it is no longer counted.
CREATE TABLE standing_windows (
  period INTEGER PRIMARY KEY,
  day INTEGER NOT NULL,
  address TEXT NOT NULL
);
INSERT INTO standing_windows (period, day, address) VALUES (0, -1, ''), (1, -1, ''), (7, -1, ''), (30, -1, '');
CREATE INDEX earning_days_by_day ON earning_days (day, miner);

INSERT INTO earning_standings
  SELECT s.value, w.period, e.miner, sum(e.units), sum(e.part_0), sum(e.part_1), sum(e.part_2), sum(e.part_3),
    sum(e.part_4), sum(e.part_5)
  FROM earning_days AS e, standing_windows AS w, json_each(json_array(e.project_id, e.token->>'address')) AS s
  GROUP BY 1, 2, 3;

CREATE TRIGGER standings_begin AFTER INSERT ON earning_days BEGIN
  INSERT INTO earning_standings
    SELECT s.value, w.period, new.miner, new.units, new.part_0, new.part_1, new.part_2, new.part_3, new.part_4, new.part_5
    FROM standing_windows AS w, json_each(json_array(new.project_id, new.token->>'address')) AS s
    WHERE (new.day, new.miner) > (w.day, w.address)
  ON CONFLICT (scope, period, address) DO UPDATE SET units = units + excluded.units, part_0 = part_0 + excluded.part_0,
    part_1 = part_1 + excluded.part_1, part_2 = part_2 + excluded.part_2, part_3 = part_3 + excluded.part_3,
    part_4 = part_4 + excluded.part_4, part_5 = part_5 + excluded.part_5;
END;
CREATE TRIGGER standings_follow AFTER UPDATE OF units, part_0, part_1, part_2, part_3, part_4, part_5 ON earning_days BEGIN
  UPDATE earning_standings SET units = units + new.units - old.units, part_0 = part_0 + new.part_0 - old.part_0,
    part_1 = part_1 + new.part_1 - old.part_1, part_2 = part_2 + new.part_2 - old.part_2,
    part_3 = part_3 + new.part_3 - old.part_3, part_4 = part_4 + new.part_4 - old.part_4,
    part_5 = part_5 + new.part_5 - old.part_5
  WHERE scope IN (new.project_id, new.token->>'address') AND address = new.miner
    AND period IN (SELECT w.period FROM standing_windows AS w WHERE (new.day, new.miner) > (w.day, w.address));
END;

-- The recipients of an epoch are among those who ever earned in its project.
CREATE TRIGGER earning_days_follow_vetoes AFTER UPDATE OF state ON epoch_receipts
WHEN (new.state = 'vetoed') <> (old.state = 'vetoed') BEGIN
  UPDATE earning_days SET units = earning_days.units + v.sign * v.units,
    part_0 = part_0 + v.sign * CAST(substr(printf('%078d', 0) || v.amount, -78, 13) AS INTEGER),
    part_1 = part_1 + v.sign * CAST(substr(printf('%078d', 0) || v.amount, -65, 13) AS INTEGER),
    part_2 = part_2 + v.sign * CAST(substr(printf('%078d', 0) || v.amount, -52, 13) AS INTEGER),
    part_3 = part_3 + v.sign * CAST(substr(printf('%078d', 0) || v.amount, -39, 13) AS INTEGER),
    part_4 = part_4 + v.sign * CAST(substr(printf('%078d', 0) || v.amount, -26, 13) AS INTEGER),
    part_5 = part_5 + v.sign * CAST(substr(printf('%078d', 0) || v.amount, -13, 13) AS INTEGER)
  FROM (
    SELECT e.miner, e.units, e.amount, iif(new.state = 'vetoed', -1, 1) AS sign
    FROM earning_standings AS s CROSS JOIN epoch_shares AS e
      ON e.miner = s.address AND e.project_id = new.project_id AND e.epoch = new.epoch
    WHERE s.scope = new.project_id AND s.period = 0) AS v
  WHERE earning_days.miner = v.miner AND day = (new.starts_at + new.epoch_secs - 1) / 86400
    AND project_id = new.project_id AND token = new.token;
END;

-- What leaderboards say of owners of devices. Figures of a project are counted when one of its epochs is attested; those of
-- the network follow from them, but for the number of bound devices, which is always right.
CREATE TABLE miner_standings (
  address TEXT NOT NULL,
  -- The id of a project; empty for the network.
  scope TEXT NOT NULL,
  devices INTEGER NOT NULL DEFAULT 0,
  -- The average of the wallet's devices there.
  reputation INTEGER NOT NULL DEFAULT 0,
  -- Leases that were asked of these devices, and those of them that were answered.
  asked INTEGER NOT NULL DEFAULT 0,
  answered INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (address, scope)
) WITHOUT ROWID;
CREATE INDEX miner_standings_by_devices ON miner_standings (scope, devices DESC, address);
CREATE INDEX miner_standings_by_reputation ON miner_standings (scope, reputation DESC, address);
CREATE INDEX miner_standings_by_uptime ON miner_standings (scope, (answered * 10000 / asked) DESC, asked DESC, address)
  WHERE asked > 0;
INSERT INTO miner_standings (address, scope, devices)
  SELECT owner, '', count(*) FROM devices WHERE unbound_at IS NULL GROUP BY owner;

CREATE TRIGGER miner_standings_begin AFTER INSERT ON devices BEGIN
  INSERT INTO miner_standings (address, scope, devices) VALUES (new.owner, '', new.unbound_at IS NULL)
  ON CONFLICT (address, scope) DO UPDATE SET devices = devices + excluded.devices;
END;
CREATE TRIGGER miner_standings_follow_devices AFTER UPDATE OF owner, unbound_at ON devices
WHEN (new.owner, new.unbound_at IS NULL) <> (old.owner, old.unbound_at IS NULL) BEGIN
  UPDATE miner_standings SET devices = devices - (old.unbound_at IS NULL) WHERE address = old.owner AND scope = '';
  INSERT INTO miner_standings (address, scope, devices) VALUES (new.owner, '', new.unbound_at IS NULL)
  ON CONFLICT (address, scope) DO UPDATE SET devices = devices + excluded.devices;
END;
