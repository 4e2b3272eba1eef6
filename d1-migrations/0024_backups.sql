-- When the hub was last backed up: one row, which the end of a dump of its Durable Objects writes.
CREATE TABLE last_backup (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  made_at INTEGER NOT NULL
);
