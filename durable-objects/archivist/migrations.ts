export const ledgerMigrations = [
  `
  -- Parts of the archive that is being written, in order: gzip members, whose lengths are a JSON list.
  CREATE TABLE parts (
    number INTEGER PRIMARY KEY,
    etag TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    members TEXT NOT NULL
  );
  -- Archives that were read back, in order. Their rounds are still in the database.
  CREATE TABLE written (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    archive TEXT NOT NULL,
    epoch TEXT NOT NULL,
    rounds INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    is_indexed INTEGER NOT NULL DEFAULT 0
  );
  -- Entries for the index that are not in it.
  CREATE TABLE entries (position INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL);
  `,
]
