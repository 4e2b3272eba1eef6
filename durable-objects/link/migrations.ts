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
  // Changes of one moment, in the order of `seq`: how offers stood then, by their ids, and what those say that are new. `until` is the last of their `vote_by`.
  `
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    until INTEGER NOT NULL,
    entries TEXT NOT NULL,
    offers TEXT
  );
  INSERT INTO changes (seq, until, entries, offers)
    SELECT row_number() OVER (ORDER BY vote_by), vote_by,
      json_array(json_array(offer_id, json_patch('{}', json_object('voteBy', vote_by, 'state', state, 'sessionId', session_id,
        'reason', reason, 'isExcused', json(iif(is_excused, 'true', 'null')), 'answer', answer,
        'isUntold', json(iif(told, 'null', 'true')), 'unheard', unheard)), 1)),
      json_object(offer_id, json(offer))
    FROM offers;
  INSERT INTO changes (seq, until, entries)
    SELECT (SELECT count(*) FROM offers) + row_number() OVER (ORDER BY votes.rowid), vote_by,
      (SELECT json_group_array(json_array(value ->> 0,
        json_object('voteBy', vote_by, 'state', 'voted', 'sessionId', '', 'answer', value ->> 1)))
      FROM json_each(votes.offers))
    FROM votes;
  DROP TABLE offers;
  DROP TABLE votes;
  `,
]
