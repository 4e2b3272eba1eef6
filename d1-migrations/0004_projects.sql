-- Projects, their search index, their versions and their reviews.

-- A row holds everything that a list shows, so a page of a list is one range of one index. A statement that changes a
-- manifest, a profile or a figure updates the row in the same transaction.
CREATE TABLE projects (
  project_id TEXT PRIMARY KEY,
  -- Counts projects in the order of their creation. Every order of a list ends in it, and it is the row of the search index.
  ordinal INTEGER,
  developer TEXT NOT NULL,
  developer_name TEXT,
  developer_verified INTEGER NOT NULL DEFAULT 0,
  slug TEXT NOT NULL,
  category TEXT NOT NULL,
  listing_status TEXT NOT NULL,
  -- The version in force.
  version INTEGER NOT NULL DEFAULT 1,
  manifest_hash TEXT NOT NULL DEFAULT '',
  consensus_hash TEXT NOT NULL DEFAULT '',
  -- The listing of that version.
  name TEXT NOT NULL DEFAULT '',
  -- The name as lists sort it: already folded, because SQLite folds ASCII only.
  name_key TEXT NOT NULL DEFAULT '',
  tagline TEXT NOT NULL DEFAULT '',
  -- JSON.
  tags TEXT NOT NULL DEFAULT '[]',
  icon TEXT NOT NULL DEFAULT '',
  accent_color TEXT,
  -- JSON.
  device_classes TEXT NOT NULL DEFAULT '[]',
  -- One bit for each device class, so a filter does not read JSON.
  class_mask INTEGER NOT NULL DEFAULT 0,
  -- JSON.
  token TEXT NOT NULL DEFAULT '{}',
  vault TEXT NOT NULL DEFAULT '',
  reward_model TEXT NOT NULL DEFAULT '',
  min_collateral TEXT NOT NULL DEFAULT '0',
  -- The latest decision of an operator.
  review_status TEXT NOT NULL DEFAULT 'pending',
  review_reason TEXT,
  -- JSON.
  review_conditions TEXT NOT NULL DEFAULT '[]',
  reviewed_at INTEGER,
  listed_at INTEGER,
  featured INTEGER NOT NULL DEFAULT 0,
  -- Figures.
  miners INTEGER NOT NULL DEFAULT 0,
  -- JSON: bonded devices by class.
  devices_by_class TEXT NOT NULL DEFAULT '{}',
  avg_daily_reward TEXT NOT NULL DEFAULT '0',
  -- The number of digits of `avg_daily_reward`, then the digits: sorts as the number does.
  earnings_key TEXT NOT NULL DEFAULT '010',
  rating_sum INTEGER NOT NULL DEFAULT 0,
  rating_count INTEGER NOT NULL DEFAULT 0,
  -- The average rating times 100; 0 without reviews.
  rating_x100 INTEGER NOT NULL DEFAULT 0,
  trending_score INTEGER NOT NULL DEFAULT 0,
  last_settled_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX projects_by_category ON projects (listing_status, category);
CREATE UNIQUE INDEX projects_by_ordinal ON projects (ordinal);
CREATE INDEX projects_of_developer ON projects (developer, ordinal DESC);
CREATE INDEX projects_to_review ON projects (ordinal) WHERE listing_status = 'pending_review';

-- One index for each order of a list, without the category and with it, so each list is one range.
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

CREATE INDEX projects_to_cool ON projects (last_settled_at) WHERE trending_score > 0;
-- A path or a query may name a project by its slug, which several developers may use.
CREATE INDEX projects_by_slug ON projects (slug);

-- Each list shows the developer's name and verification with the project.
CREATE TRIGGER projects_follow_developer AFTER UPDATE OF display_name, verification ON developers
WHEN (new.display_name, new.verification) IS NOT (old.display_name, old.verification) BEGIN
  UPDATE projects SET developer_name = new.display_name, developer_verified = (new.verification = 'verified')
  WHERE developer = new.address;
END;

-- The words by which the search index finds a project. Filters are words too, in a column of their own: the index alone
-- answers a search with filters, and reads no project that a filter excludes. A tag is written in hex, which makes it one
-- word and keeps its capitals.
CREATE VIEW project_words AS SELECT ordinal, name, tagline, tags,
  'status' || replace(listing_status, '_', '') || ' category' || replace(category, '-', '') || ' developer' || developer
    || coalesce((SELECT group_concat(' class' || value, '') FROM json_each('[1,2,4,8,16]') WHERE class_mask & value), '')
    || coalesce((SELECT group_concat(' tag' || hex(value), '') FROM json_each(tags)), '') AS filters
  FROM projects WHERE ordinal IS NOT NULL;

-- The index stores no texts: the row of `projects` has them.
CREATE VIRTUAL TABLE project_search USING fts5(
  name, tagline, tags, filters, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3'
);
CREATE TRIGGER project_search_insert AFTER INSERT ON projects BEGIN
  INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words WHERE ordinal = new.ordinal;
END;
CREATE TRIGGER project_search_update
AFTER UPDATE OF name, tagline, tags, listing_status, category, class_mask ON projects
WHEN new.ordinal IS NOT NULL AND (new.name, new.tagline, new.tags, new.listing_status, new.category, new.class_mask)
  IS NOT (old.name, old.tagline, old.tags, old.listing_status, old.category, old.class_mask) BEGIN
  DELETE FROM project_search WHERE rowid = old.ordinal;
  INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words WHERE ordinal = new.ordinal;
END;

-- Listed projects of each category: counting them for every request would read all of them.
CREATE TABLE category_counts (
  category TEXT PRIMARY KEY,
  listed INTEGER NOT NULL
) WITHOUT ROWID;
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

CREATE TABLE project_versions (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  manifest_hash TEXT NOT NULL,
  consensus_hash TEXT NOT NULL,
  -- The canonical text that the developer signed.
  manifest TEXT NOT NULL,
  signature TEXT NOT NULL,
  -- JSON.
  token TEXT NOT NULL,
  -- JSON.
  tiers_changed TEXT NOT NULL,
  -- Changed rules take effect at boundaries of the old and the new epoch length alike: the seconds between two of those.
  boundary_secs INTEGER NOT NULL,
  epoch_secs INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  publish_tx TEXT,
  published_at INTEGER,
  effective_epoch INTEGER,
  effective_at INTEGER
);
-- Decides between two requests that submit the same next version. The number of a rejected version is free again.
CREATE UNIQUE INDEX project_versions_by_number ON project_versions (project_id, version) WHERE status <> 'rejected';
CREATE UNIQUE INDEX project_versions_active ON project_versions (project_id) WHERE status = 'active';
CREATE INDEX project_versions_newest ON project_versions (project_id, id DESC);
CREATE INDEX project_versions_due ON project_versions (effective_at) WHERE status = 'registered';
-- Also finds rejected versions, which the unique index leaves out.
CREATE INDEX project_versions_by_version ON project_versions (project_id, version, id DESC);
-- Evidence names a version by the hash of its rules.
CREATE INDEX project_versions_by_consensus ON project_versions (project_id, consensus_hash);

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
-- One review for each wallet and project; a second one replaces the first.
CREATE UNIQUE INDEX reviews_by_author ON reviews (project_id, author);
CREATE INDEX reviews_newest ON reviews (project_id, created_at DESC, review_id DESC);
CREATE INDEX reviews_by_helpful ON reviews (project_id, helpful DESC, review_id DESC);
CREATE INDEX reviews_by_rating ON reviews (project_id, rating DESC, review_id DESC);

-- The primary key makes the vote of a wallet count once.
CREATE TABLE review_votes (
  review_id TEXT NOT NULL,
  voter TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (review_id, voter)
) WITHOUT ROWID;
