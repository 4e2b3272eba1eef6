-- Projects as they are listed and searched, and their versions.

-- What a summary shows is kept in the row, so that a page of a list is one range of one index and nothing else. Who
-- changes a manifest, a profile or a figure brings the row in step in the same transaction.
ALTER TABLE projects ADD COLUMN ordinal INTEGER;
ALTER TABLE projects ADD COLUMN developer_name TEXT;
ALTER TABLE projects ADD COLUMN developer_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN name TEXT NOT NULL DEFAULT '';
-- The name as it is sorted by: folded, because the database folds ASCII only.
ALTER TABLE projects ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN tagline TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN icon TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN accent_color TEXT;
ALTER TABLE projects ADD COLUMN device_classes TEXT NOT NULL DEFAULT '[]';
-- One bit per device class, to filter without reading JSON.
ALTER TABLE projects ADD COLUMN class_mask INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN token TEXT NOT NULL DEFAULT '{}';
ALTER TABLE projects ADD COLUMN vault TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN reward_model TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN min_collateral TEXT NOT NULL DEFAULT '0';
-- The version in force.
ALTER TABLE projects ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE projects ADD COLUMN manifest_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN consensus_hash TEXT NOT NULL DEFAULT '';
-- The latest decision of an operator.
ALTER TABLE projects ADD COLUMN review_status TEXT NOT NULL DEFAULT 'pending';
ALTER TABLE projects ADD COLUMN review_reason TEXT;
ALTER TABLE projects ADD COLUMN review_conditions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN reviewed_at INTEGER;
ALTER TABLE projects ADD COLUMN listed_at INTEGER;
-- Since when the registry has to be told the listing status; null once it says the same.
ALTER TABLE projects ADD COLUMN mirror_since INTEGER;
-- Figures. `earnings_key` is the number of digits of `avg_daily_reward`, then the digits: it sorts as the number does.
ALTER TABLE projects ADD COLUMN miners INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN avg_daily_reward TEXT NOT NULL DEFAULT '0';
ALTER TABLE projects ADD COLUMN earnings_key TEXT NOT NULL DEFAULT '010';
ALTER TABLE projects ADD COLUMN rating_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN rating_count INTEGER NOT NULL DEFAULT 0;
-- 0 stands for no review.
ALTER TABLE projects ADD COLUMN rating_x100 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN trending_score INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN featured INTEGER NOT NULL DEFAULT 0;

-- `ordinal` counts projects as they came: the newest has the highest, every order ends in it, and it is the row of
-- the search index.
CREATE UNIQUE INDEX projects_by_ordinal ON projects (ordinal);
CREATE INDEX projects_of_developer ON projects (developer, ordinal DESC);
CREATE INDEX projects_to_mirror ON projects (mirror_since) WHERE mirror_since IS NOT NULL;
CREATE INDEX projects_to_review ON projects (ordinal) WHERE listing_status = 'pending_review';

-- One index per order, with and without the category, so that each is read as one range.
CREATE INDEX projects_newest ON projects (listing_status, ordinal DESC);
CREATE INDEX projects_trending ON projects (listing_status, trending_score DESC, ordinal DESC);
CREATE INDEX projects_by_miners ON projects (listing_status, miners DESC, ordinal DESC);
CREATE INDEX projects_by_earnings ON projects (listing_status, earnings_key DESC, ordinal DESC);
CREATE INDEX projects_by_rating ON projects (listing_status, rating_x100 DESC, ordinal DESC);
CREATE INDEX projects_by_name ON projects (listing_status, name_key, ordinal);
CREATE INDEX projects_newest_in_category ON projects (listing_status, category, ordinal DESC);
CREATE INDEX projects_trending_in_category ON projects (listing_status, category, trending_score DESC, ordinal DESC);
CREATE INDEX projects_by_miners_in_category ON projects (listing_status, category, miners DESC, ordinal DESC);
CREATE INDEX projects_by_earnings_in_category ON projects (listing_status, category, earnings_key DESC, ordinal DESC);
CREATE INDEX projects_by_rating_in_category ON projects (listing_status, category, rating_x100 DESC, ordinal DESC);
CREATE INDEX projects_by_name_in_category ON projects (listing_status, category, name_key, ordinal);

-- Words of name, tagline and tags. The index holds no texts: the row of projects has them.
CREATE VIRTUAL TABLE project_search USING fts5(
  name, tagline, tags, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
CREATE TRIGGER project_search_insert AFTER INSERT ON projects WHEN new.ordinal IS NOT NULL BEGIN
  INSERT INTO project_search (rowid, name, tagline, tags) VALUES (new.ordinal, new.name, new.tagline, new.tags);
END;
CREATE TRIGGER project_search_update AFTER UPDATE OF name, tagline, tags ON projects
WHEN new.ordinal IS NOT NULL AND (new.name, new.tagline, new.tags) IS NOT (old.name, old.tagline, old.tags) BEGIN
  DELETE FROM project_search WHERE rowid = old.ordinal;
  INSERT INTO project_search (rowid, name, tagline, tags) VALUES (new.ordinal, new.name, new.tagline, new.tags);
END;

CREATE TABLE project_tags (
  tag TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (tag, ordinal DESC)
) WITHOUT ROWID;
CREATE TRIGGER project_tags_insert AFTER INSERT ON projects WHEN new.ordinal IS NOT NULL BEGIN
  INSERT INTO project_tags (tag, ordinal) SELECT value, new.ordinal FROM json_each(new.tags) WHERE true
  ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER project_tags_update AFTER UPDATE OF tags ON projects
WHEN new.ordinal IS NOT NULL AND new.tags IS NOT old.tags BEGIN
  DELETE FROM project_tags WHERE ordinal = old.ordinal AND tag IN (SELECT value FROM json_each(old.tags));
  INSERT INTO project_tags (tag, ordinal) SELECT value, new.ordinal FROM json_each(new.tags) WHERE true
  ON CONFLICT DO NOTHING;
END;

-- Listed projects per category: counting them anew would read all of them.
CREATE TABLE category_counts (
  category TEXT PRIMARY KEY,
  listed INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO category_counts (category, listed)
SELECT category, count(*) FROM projects WHERE listing_status = 'listed' GROUP BY category;
CREATE TRIGGER category_counts_insert AFTER INSERT ON projects WHEN new.listing_status = 'listed' BEGIN
  INSERT INTO category_counts (category, listed) VALUES (new.category, 1)
  ON CONFLICT (category) DO UPDATE SET listed = listed + 1;
END;
CREATE TRIGGER category_counts_update AFTER UPDATE OF listing_status, category ON projects
WHEN (new.listing_status, new.category) IS NOT (old.listing_status, old.category) BEGIN
  UPDATE category_counts SET listed = listed - 1
  WHERE category = old.category AND old.listing_status = 'listed';
  INSERT INTO category_counts (category, listed) SELECT new.category, 1 WHERE new.listing_status = 'listed'
  ON CONFLICT (category) DO UPDATE SET listed = listed + 1;
END;

-- A developer's name and verification are shown with each of the projects.
CREATE TRIGGER projects_follow_developer AFTER UPDATE OF display_name, verification ON developers
WHEN (new.display_name, new.verification) IS NOT (old.display_name, old.verification) BEGIN
  UPDATE projects SET developer_name = new.display_name, developer_verified = (new.verification = 'verified')
  WHERE developer = new.address;
END;

-- `manifest` is the canonical text that was signed.
CREATE TABLE project_versions (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  manifest_hash TEXT NOT NULL,
  consensus_hash TEXT NOT NULL,
  manifest TEXT NOT NULL,
  signature TEXT NOT NULL,
  token TEXT NOT NULL,
  tiers_changed TEXT NOT NULL,
  -- Seconds between the moments at which a changed consensus can take effect: boundaries of both epoch lengths.
  boundary_secs INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  publish_tx TEXT,
  published_at INTEGER,
  effective_epoch INTEGER,
  effective_at INTEGER
);
-- Decides between two that submit the same next version. A rejected number is free again.
CREATE UNIQUE INDEX project_versions_by_number ON project_versions (project_id, version) WHERE status <> 'rejected';
CREATE UNIQUE INDEX project_versions_active ON project_versions (project_id) WHERE status = 'active';
CREATE INDEX project_versions_newest ON project_versions (project_id, id DESC);
CREATE INDEX project_versions_due ON project_versions (effective_at) WHERE status = 'registered';
