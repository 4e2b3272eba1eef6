/**
 * The tables that `serve` adds to the database of a data directory: the SQL of each version. The list only grows at its end:
 * `PRAGMA user_version` of a database is the number of versions that it has, `tablesVersion` the number of all.
 */
export const migrations: readonly string[] = [
  `
  -- Single values.
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- Who may send signed requests: the validators and the coordinator, by the last answer of the hub.
  CREATE TABLE senders (
    public_key TEXT PRIMARY KEY, role TEXT NOT NULL CHECK (role IN ('validator', 'coordinator')), url TEXT
  ) WITHOUT ROWID;
  -- Nonces of signed requests, kept as long as their requests could be sent again.
  CREATE TABLE nonces (
    public_key TEXT NOT NULL, nonce TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (public_key, nonce)
  ) WITHOUT ROWID;
  CREATE INDEX nonces_by_expiry ON nonces (expires_at);
  -- Spans of network time in which the hub heard this node without a pause.
  CREATE TABLE hub_contact (id INTEGER PRIMARY KEY, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL);

  -- The newest receipts of a module, or of a function in any module, without a scan.
  CREATE INDEX ledger_by_address ON ledger (address, id);
  CREATE INDEX ledger_by_function ON ledger (function, id);
  -- Chunks that the node keeps for others; their bytes are files.
  CREATE TABLE chunks (hash TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;

  -- Every vote of this node, for ever. The unique index allows one vote for each round.
  CREATE TABLE votes (
    id INTEGER PRIMARY KEY, public_key TEXT NOT NULL, kind TEXT NOT NULL, round_id TEXT NOT NULL,
    vote TEXT NOT NULL, answer TEXT, created_at INTEGER NOT NULL,
    UNIQUE (public_key, kind, round_id)
  );
  -- Offers of tasks that a miner took, the newest of them. The data that the vote's receipt hashes is kept until the hub
  -- has it.
  CREATE TABLE leases (
    id INTEGER PRIMARY KEY AUTOINCREMENT, offer_id TEXT NOT NULL UNIQUE, round_id TEXT NOT NULL,
    project_id TEXT NOT NULL, function TEXT NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL,
    vote_by INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT, result TEXT, changed_at INTEGER NOT NULL
  );
  CREATE INDEX open_leases ON leases (state) WHERE state IN ('leased', 'voted');

  -- Committee sets as canonical JSON, under their hash. The length of the epoch says which validators count for a set.
  CREATE TABLE sets (
    set_hash TEXT PRIMARY KEY, project_id TEXT NOT NULL, epoch INTEGER NOT NULL, epoch_secs INTEGER NOT NULL,
    snapshot BLOB NOT NULL, kept_at INTEGER NOT NULL
  );
  CREATE INDEX sets_by_age ON sets (kept_at);
  -- Every attestation of this node, for ever. The key allows one set for each project and epoch.
  CREATE TABLE attestations (
    project_id TEXT NOT NULL, epoch INTEGER NOT NULL, set_hash TEXT NOT NULL, attestation TEXT NOT NULL,
    created_at INTEGER NOT NULL, PRIMARY KEY (project_id, epoch)
  ) WITHOUT ROWID;
  -- Rules of projects, as their developers signed them.
  CREATE TABLE consensus (
    project_id TEXT NOT NULL, consensus_hash TEXT NOT NULL, rules TEXT NOT NULL,
    PRIMARY KEY (project_id, consensus_hash)
  ) WITHOUT ROWID;

  -- Rounds. The task and the judgement are null until this node judged the round; final is null until a quorum of the
  -- validators signed one record, and final_seq counts the rounds in the order in which this node learnt that.
  CREATE TABLE rounds (
    id INTEGER PRIMARY KEY, round_id TEXT NOT NULL UNIQUE, project_id TEXT, epoch INTEGER, state TEXT NOT NULL,
    task TEXT, judgement TEXT, final TEXT, finality_hash TEXT, final_seq INTEGER UNIQUE, seen_at INTEGER NOT NULL
  );
  CREATE INDEX rounds_by_epoch ON rounds (project_id, epoch, final_seq);
  CREATE INDEX rounds_open ON rounds (seen_at) WHERE final_seq IS NULL;
  -- Votes in rounds, of this node and of others: at most two different ones for each kind and key.
  CREATE TABLE round_votes (
    id INTEGER PRIMARY KEY, round_id TEXT NOT NULL, kind TEXT NOT NULL, public_key TEXT NOT NULL,
    subject TEXT NOT NULL, vote TEXT NOT NULL, kept_at INTEGER NOT NULL,
    UNIQUE (round_id, kind, public_key, subject)
  );
  CREATE INDEX round_votes_by_age ON round_votes (kept_at);
  -- Evidence that can be posted. One record for each offence.
  CREATE TABLE evidence (
    id INTEGER PRIMARY KEY, offence TEXT NOT NULL UNIQUE, round_id TEXT NOT NULL, evidence TEXT NOT NULL,
    created_at INTEGER NOT NULL, posted_at INTEGER
  );
  CREATE INDEX evidence_unposted ON evidence (id) WHERE posted_at IS NULL;
  -- Evidence that the hub has not taken. Refused and withheld evidence is never sent again.
  CREATE TABLE evidence_posts (
    evidence_id INTEGER PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('waiting', 'refused', 'withheld')),
    failures INTEGER NOT NULL
  );
  -- Epochs of projects to settle. The receipt is kept from a quorum's attestation until the hub has it.
  CREATE TABLE epochs (
    project_id TEXT NOT NULL, epoch INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'empty')), due_at INTEGER, receipt TEXT,
    PRIMARY KEY (project_id, epoch)
  ) WITHOUT ROWID;
  CREATE INDEX epochs_open ON epochs (epoch) WHERE state = 'open';

  -- The chain of validator generations that this node follows, each as its coordinator and a quorum signed it. The network
  -- is its name and chain.
  CREATE TABLE validator_generations (
    network TEXT NOT NULL, generation INTEGER NOT NULL, hash TEXT NOT NULL, document TEXT NOT NULL,
    coordinator TEXT NOT NULL, signatures TEXT NOT NULL, PRIMARY KEY (network, generation)
  ) WITHOUT ROWID;
  -- Every generation that this node signed, for ever. If one has not taken effect by effective_at, the node signs another one
  -- with its number.
  CREATE TABLE signed_generations (
    id INTEGER PRIMARY KEY, network TEXT NOT NULL, generation INTEGER NOT NULL, hash TEXT NOT NULL,
    signature TEXT NOT NULL, effective_at INTEGER NOT NULL, signed_at INTEGER NOT NULL,
    UNIQUE (network, generation, hash)
  );

  -- The parts of a state root, so that a run costs only its changes: the hash of each entry and of each bucket. They are of
  -- the storage of a module at one sequence; those of another sequence are made again.
  CREATE TABLE state_leaves (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, key TEXT NOT NULL, hash BLOB NOT NULL,
    PRIMARY KEY (address, bucket, key)
  ) WITHOUT ROWID;
  CREATE TABLE state_buckets (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (address, bucket)
  ) WITHOUT ROWID;
  CREATE TABLE state_roots (
    address TEXT PRIMARY KEY, sequence INTEGER NOT NULL, root TEXT NOT NULL
  ) WITHOUT ROWID;
  -- Storage that state sync has received of modules that are not complete yet. Each entry was checked against the hash of
  -- its bucket.
  CREATE TABLE sync_buckets (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, hash TEXT NOT NULL, is_whole INTEGER NOT NULL,
    PRIMARY KEY (address, bucket)
  ) WITHOUT ROWID;
  CREATE TABLE sync_entries (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (address, bucket, key)
  ) WITHOUT ROWID;
  -- Modules whose storage is being replaced by those entries.
  CREATE TABLE sync_installs (
    address TEXT PRIMARY KEY, sequence INTEGER NOT NULL, state_root TEXT NOT NULL
  ) WITHOUT ROWID;

  -- Direct rounds in the order in which this node voted in them, with their size on disk: the oldest are dropped.
  CREATE TABLE direct_rounds (
    id INTEGER PRIMARY KEY AUTOINCREMENT, round_id TEXT NOT NULL UNIQUE, ledger_id INTEGER NOT NULL,
    issued_at INTEGER NOT NULL, bytes INTEGER NOT NULL, created_at INTEGER NOT NULL
  );
  -- Their number and size: one row.
  CREATE TABLE direct_totals (id INTEGER PRIMARY KEY CHECK (id = 1), rounds INTEGER NOT NULL, bytes INTEGER NOT NULL);
  INSERT INTO direct_totals VALUES (1, 0, 0);
  CREATE TRIGGER direct_round_kept AFTER INSERT ON direct_rounds BEGIN
    UPDATE direct_totals SET rounds = rounds + 1, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER direct_round_dropped AFTER DELETE ON direct_rounds BEGIN
    UPDATE direct_totals SET rounds = rounds - 1, bytes = bytes - old.bytes;
  END;
  -- Changes of storage by direct rounds that are not decided, as far as this node knows. Rounds of several modules may be
  -- decided before this node hears of them. \`written\` is a JSON list of addresses.
  CREATE TABLE pending_rounds (
    id INTEGER PRIMARY KEY AUTOINCREMENT, round_id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL, written TEXT NOT NULL,
    changes BLOB NOT NULL
  );
  -- The last sequence and root of each module's storage that a quorum signed, in a round that the coordinator decided.
  CREATE TABLE state_heads (
    address TEXT PRIMARY KEY, sequence INTEGER NOT NULL, root TEXT NOT NULL, round_id TEXT NOT NULL
  ) WITHOUT ROWID;
  `,
]

/**
 * Tables, indexes and triggers that came later, made where they are missing. An earlier build ignores them, so a node can go
 * back to it with its data directory: none of them may be needed for what that build wrote meanwhile to be right.
 */
export const additions = `
  -- Rounds that only votes of others tell of, with the key of the first vote, until this node judged them, or they are over.
  CREATE TABLE IF NOT EXISTS heard_rounds (
    round_id TEXT PRIMARY KEY, public_key TEXT NOT NULL, seen_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS heard_rounds_by_age ON heard_rounds (seen_at);
  CREATE TRIGGER IF NOT EXISTS heard_round_known AFTER UPDATE ON rounds
  WHEN new.judgement IS NOT NULL OR new.final_seq IS NOT NULL OR new.state = 'failed' BEGIN
    DELETE FROM heard_rounds WHERE round_id = new.round_id;
  END;
  -- How many of them each key told of first.
  CREATE TABLE IF NOT EXISTS heard_totals (public_key TEXT PRIMARY KEY, rounds INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS round_heard AFTER INSERT ON heard_rounds BEGIN
    INSERT INTO heard_totals VALUES (new.public_key, 1) ON CONFLICT DO UPDATE SET rounds = rounds + 1;
  END;
  CREATE TRIGGER IF NOT EXISTS heard_round_dropped AFTER DELETE ON heard_rounds BEGIN
    UPDATE heard_totals SET rounds = rounds - 1 WHERE public_key = old.public_key;
  END;
  CREATE INDEX IF NOT EXISTS rounds_judged ON rounds (seen_at)
  WHERE final_seq IS NULL AND judgement IS NOT NULL AND state <> 'failed';

  -- Votes of direct rounds are dropped by their round, among votes that stay for ever.
  CREATE INDEX IF NOT EXISTS direct_votes ON votes (round_id) WHERE kind = 'execution';

  -- The large data of task rounds, in the order in which this node made it, with its size: the receipt of a run, or the run
  -- that a validator answers beside its vote. The oldest is dropped.
  CREATE TABLE IF NOT EXISTS task_data (
    id INTEGER PRIMARY KEY AUTOINCREMENT, round_id TEXT, ledger_id INTEGER, bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  );
  -- Its size: one row.
  CREATE TABLE IF NOT EXISTS task_data_total (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL);
  INSERT OR IGNORE INTO task_data_total VALUES (1, 0);
  CREATE TRIGGER IF NOT EXISTS task_data_kept AFTER INSERT ON task_data BEGIN
    UPDATE task_data_total SET bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER IF NOT EXISTS task_data_dropped AFTER DELETE ON task_data BEGIN
    UPDATE task_data_total SET bytes = bytes - old.bytes;
  END;
  -- By its length, which is read without the run itself: the shortest run is longer than null.
  CREATE INDEX IF NOT EXISTS finality_answers ON votes (round_id) WHERE kind = 'finality' AND octet_length(answer) > 4;
  INSERT INTO task_data (round_id, bytes, created_at)
    SELECT round_id, octet_length(answer), created_at FROM votes
    WHERE kind = 'finality' AND octet_length(answer) > 4 AND NOT EXISTS (SELECT 1 FROM task_data) ORDER BY id;
`
