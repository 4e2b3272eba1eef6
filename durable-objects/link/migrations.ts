export const linkMigrations = [
  `CREATE TABLE offers (
    offer_id TEXT PRIMARY KEY,
    offer TEXT NOT NULL,
    state TEXT NOT NULL,
    session_id TEXT NOT NULL,
    vote_by INTEGER NOT NULL,
    reason TEXT,
    answer TEXT,
    -- Whether the round knows that it was accepted or declined.
    told INTEGER NOT NULL DEFAULT 1,
    -- Why the link may have missed a message of its node: the session that the link itself lost, or a vote that found no round.
    unheard TEXT,
    -- Whether a decline is excused: another offer of the node has just ended.
    is_excused INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID`,
  // Votes that were stored together, by offers and answers; the rows of these offers still say that they are open.
  'CREATE TABLE votes (offers TEXT NOT NULL, vote_by INTEGER NOT NULL)',
]
