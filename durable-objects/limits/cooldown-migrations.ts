export const cooldownMigrations = [
  `
  CREATE TABLE turns (
    holder TEXT PRIMARY KEY,
    turn_id TEXT NOT NULL,
    state TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  -- Every take counts the live turns, and the first to expire says when the next sweep is due.
  CREATE INDEX turns_by_expiry ON turns (expires_at);
  `,
]
