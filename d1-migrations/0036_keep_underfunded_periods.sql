-- When projects could not pay, in network time. A task of then is a fallback, which has no committee, and nothing that is
-- signed of its round says so.
CREATE TABLE underfunded_periods (
  project_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  -- Null while it lasts.
  until INTEGER,
  PRIMARY KEY (project_id, since)
) WITHOUT ROWID;
-- Since when is not known of those that are now.
INSERT INTO underfunded_periods (project_id, since) SELECT project_id, 0 FROM projects WHERE listing_status = 'underfunded';
