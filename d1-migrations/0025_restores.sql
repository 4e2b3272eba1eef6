-- When the hub was last made again from a backup: one row. Objects that the backup does not know pass over what they may have given before.
CREATE TABLE last_restore (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  resumed_at INTEGER NOT NULL
);
