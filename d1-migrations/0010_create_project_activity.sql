-- Reviews of projects, and what projects did: settled epochs, credited miners, figures.

CREATE TABLE reviews (
  review_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  author TEXT NOT NULL,
  rating INTEGER NOT NULL,
  comment TEXT NOT NULL,
  helpful INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
-- One review per wallet and project; a second one replaces the first.
CREATE UNIQUE INDEX reviews_by_author ON reviews (project_id, author);
CREATE INDEX reviews_newest ON reviews (project_id, created_at DESC, review_id DESC);
CREATE INDEX reviews_by_helpful ON reviews (project_id, helpful DESC, review_id DESC);
CREATE INDEX reviews_by_rating ON reviews (project_id, rating DESC, review_id DESC);

-- The primary key is what makes a wallet's vote count once.
CREATE TABLE review_votes (
  review_id TEXT NOT NULL,
  voter TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (review_id, voter)
) WITHOUT ROWID;

-- Settled epochs in the order in which they were settled. `total_*` are sums since the first: what happened in any
-- period is the difference of two rows. Amounts exceed the database's integers and are text.
CREATE TABLE project_epochs (
  project_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  settled_at INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  rounds_finalized INTEGER NOT NULL,
  rounds_fallback INTEGER NOT NULL,
  units INTEGER NOT NULL,
  miners INTEGER NOT NULL,
  paid TEXT NOT NULL,
  median_finality_ms INTEGER,
  uptime_bp INTEGER,
  slashes INTEGER NOT NULL,
  total_rounds INTEGER NOT NULL,
  total_finalized INTEGER NOT NULL,
  total_fallback INTEGER NOT NULL,
  total_units INTEGER NOT NULL,
  total_paid TEXT NOT NULL,
  total_slashes INTEGER NOT NULL,
  PRIMARY KEY (project_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX project_epochs_by_epoch ON project_epochs (project_id, starts_at, epoch);
CREATE INDEX project_epochs_by_time ON project_epochs (project_id, settled_at DESC, seq DESC);

-- Miners with credited rounds.
CREATE TABLE project_miners (
  project_id TEXT NOT NULL,
  miner TEXT NOT NULL,
  rounds INTEGER NOT NULL,
  units INTEGER NOT NULL,
  earned TEXT NOT NULL,
  first_credited_at INTEGER NOT NULL,
  last_credited_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, miner)
) WITHOUT ROWID;
CREATE INDEX project_miners_by_units ON project_miners (project_id, units DESC, miner DESC);

ALTER TABLE projects ADD COLUMN devices_by_class TEXT NOT NULL DEFAULT '{}';
ALTER TABLE projects ADD COLUMN last_settled_at INTEGER;
CREATE INDEX projects_to_cool ON projects (last_settled_at) WHERE trending_score > 0;
