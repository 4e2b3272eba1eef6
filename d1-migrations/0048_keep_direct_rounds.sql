-- Direct rounds cost their callers nothing, so they are kept for a while only: the oldest go, with their rows and files, when
-- their time is over or there is more than may be. Bytes are what row and file take together.
CREATE TABLE direct_rounds (round_id TEXT PRIMARY KEY, ended_at INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX direct_rounds_newest ON direct_rounds (ended_at DESC, round_id DESC, bytes);
INSERT INTO direct_rounds SELECT round_id, coalesce(finalized_at, issued_at), 4096 FROM rounds WHERE kind = 'exec';
