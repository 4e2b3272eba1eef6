-- What leaderboards say of owners of devices in a period, of the devices that were asked for work in it. Figures of a project, and with them
-- those of its owners in the network, are counted once in a UTC day, with the first epoch that is attested in it.
CREATE TABLE period_standings (
  address TEXT NOT NULL,
  -- The id of a project; empty for the network.
  scope TEXT NOT NULL,
  -- Days before the running one.
  period INTEGER NOT NULL,
  devices INTEGER NOT NULL,
  -- The average of these devices.
  reputation INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  -- The newest day with work, by its number since 1970. A row whose day has left the period is deleted.
  last_day INTEGER NOT NULL,
  PRIMARY KEY (address, scope, period)
) WITHOUT ROWID;
CREATE INDEX period_standings_by_devices ON period_standings (scope, period, devices DESC, address);
CREATE INDEX period_standings_by_reputation ON period_standings (scope, period, reputation DESC, address);
CREATE INDEX period_standings_by_uptime ON period_standings (scope, period, (answered * 10000 / asked) DESC, asked DESC, address);
CREATE INDEX period_standings_by_day ON period_standings (period, last_day);

CREATE TABLE period_counts (
  project_id TEXT PRIMARY KEY,
  -- The day of the last count.
  day INTEGER NOT NULL
) WITHOUT ROWID;
