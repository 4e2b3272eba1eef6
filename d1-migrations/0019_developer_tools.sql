-- What developers see and say of their projects, what is reported of these, and what operators curate.

CREATE TABLE announcements (
  announcement_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  -- `update`, `maintenance`, `feature` or `alert`.
  type TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX announcements_newest ON announcements (project_id, created_at DESC, announcement_id DESC);

CREATE TABLE project_reports (
  report_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  reporter TEXT NOT NULL,
  category TEXT NOT NULL,
  severity TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX project_reports_newest ON project_reports (created_at DESC, report_id DESC);
CREATE INDEX project_reports_of_project ON project_reports (project_id, created_at DESC, report_id DESC);
-- For counting what a wallet reports in a day.
CREATE INDEX project_reports_of_reporter ON project_reports (reporter, created_at);

-- A few lists of projects that operators make.
CREATE TABLE collections (
  id TEXT PRIMARY KEY,
  -- `editors_picks` or `dao_curated`.
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  -- JSON.
  project_ids TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Tasks that validators run for a developer, without a committee. The newest of each project are kept.
CREATE TABLE simulations (
  simulation_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  -- JSON: the direct rounds. Null once it is over.
  requests TEXT,
  -- `running`, `passed` or `failed`.
  status TEXT NOT NULL,
  -- JSON.
  results TEXT NOT NULL,
  logs TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  completed_at INTEGER,
  -- Until then one process runs it. Another one may begin afterwards.
  claimed_until INTEGER NOT NULL,
  attempts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX simulations_newest ON simulations (project_id, started_at DESC, simulation_id DESC);
CREATE INDEX simulations_running ON simulations (claimed_until) WHERE status = 'running';

-- Of the rounds of an epoch: those in which members voted for different results, and sums over the others' times.
ALTER TABLE epoch_rounds ADD COLUMN contested INTEGER NOT NULL DEFAULT 0;
-- Of final rounds.
ALTER TABLE epoch_rounds ADD COLUMN finality_ms INTEGER NOT NULL DEFAULT 0;
-- From lease to vote, of primaries that answered.
ALTER TABLE epoch_rounds ADD COLUMN lease_secs INTEGER NOT NULL DEFAULT 0;
-- Lengths of epochs differ between versions, so their numbers are in no order of time.
CREATE INDEX epoch_rounds_of_project_by_end ON epoch_rounds (project_id, ends_at);

ALTER TABLE developers ADD COLUMN enrollment_submitted_at INTEGER;
ALTER TABLE developers ADD COLUMN enrollment_reviewed_at INTEGER;
-- Of the operator who decided.
ALTER TABLE developers ADD COLUMN enrollment_notes TEXT;
ALTER TABLE developers ADD COLUMN verification_requested_at INTEGER;
ALTER TABLE developers ADD COLUMN verification_reviewed_at INTEGER;
-- Of the developer with the request, then of the operator who decided.
ALTER TABLE developers ADD COLUMN verification_notes TEXT;
-- Listed projects, and the devices that are bonded to them.
ALTER TABLE developers ADD COLUMN projects INTEGER NOT NULL DEFAULT 0;
ALTER TABLE developers ADD COLUMN miners INTEGER NOT NULL DEFAULT 0;
UPDATE developers SET
  enrollment_submitted_at = iif(enrollment = 'draft', NULL, agreements_accepted_at),
  (enrollment_reviewed_at, enrollment_notes) = (SELECT created_at, reason FROM audit_log
    WHERE subject = address AND action LIKE 'developer.enrollment.%' ORDER BY entry DESC LIMIT 1),
  (verification_reviewed_at, verification_notes) = (SELECT created_at, reason FROM audit_log
    WHERE subject = address AND action LIKE 'developer.verification.%' ORDER BY entry DESC LIMIT 1),
  (projects, miners) = (SELECT count(*), coalesce(sum(p.miners), 0) FROM projects AS p
    WHERE p.developer = address AND p.listing_status = 'listed');

CREATE TRIGGER developers_follow_new_project AFTER INSERT ON projects WHEN new.listing_status = 'listed' BEGIN
  UPDATE developers SET projects = projects + 1, miners = miners + new.miners WHERE address = new.developer;
END;
CREATE TRIGGER developers_follow_project AFTER UPDATE OF listing_status, miners ON projects
WHEN 'listed' IN (old.listing_status, new.listing_status)
  AND (new.listing_status, new.miners) IS NOT (old.listing_status, old.miners) BEGIN
  UPDATE developers SET
    projects = projects + (new.listing_status = 'listed') - (old.listing_status = 'listed'),
    miners = miners + iif(new.listing_status = 'listed', new.miners, 0) - iif(old.listing_status = 'listed', old.miners, 0)
  WHERE address = new.developer;
END;

-- Null for the setting of the deployment.
ALTER TABLE faucet_settings ADD COLUMN cooldown_secs INTEGER;
