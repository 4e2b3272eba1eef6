export const directOrderMigrations = [
  `
  -- The head of each module's storage that a quorum signed last, and the round of it.
  CREATE TABLE heads (
    address TEXT PRIMARY KEY, seq INTEGER NOT NULL, root TEXT NOT NULL, round_id TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX heads_by_round ON heads (round_id);
  -- The votes of the rounds of these heads: a validator that was away catches up with them.
  CREATE TABLE certificates (round_id TEXT PRIMARY KEY, votes TEXT NOT NULL) WITHOUT ROWID;
  -- Modules whose storage the last round of a module read or wrote: the next round probably does too. The ids are in the
  -- order in which modules ran last, so that modules that no longer run can be forgotten.
  CREATE TABLE touched (
    id INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL UNIQUE, addresses TEXT NOT NULL
  );
  -- The last try of each request with an Idempotency-Key.
  CREATE TABLE named (
    nonce TEXT PRIMARY KEY, request TEXT NOT NULL, issued_at INTEGER NOT NULL, state TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX named_by_age ON named (issued_at);
  `,
]
