/**
 * What `serve` adds to the database of a data directory, in order. Append only: `PRAGMA user_version` says how many a
 * database has.
 */
export const migrations: readonly string[] = [
  `
  -- What this node has voted, for ever. The unique index decides that there is one vote for each round.
  CREATE TABLE votes (
    id INTEGER PRIMARY KEY, public_key TEXT NOT NULL, kind TEXT NOT NULL, round_id TEXT NOT NULL,
    vote TEXT NOT NULL, answer TEXT, created_at INTEGER NOT NULL,
    UNIQUE (public_key, kind, round_id)
  );
  -- Nonces of signed requests, kept as long as their requests could be sent again.
  CREATE TABLE nonces (
    public_key TEXT NOT NULL, nonce TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (public_key, nonce)
  ) WITHOUT ROWID;
  CREATE INDEX nonces_by_expiry ON nonces (expires_at);
  -- Who may send signed requests: the validators and the coordinator, as the hub said last.
  CREATE TABLE senders (
    public_key TEXT PRIMARY KEY, role TEXT NOT NULL CHECK (role IN ('validator', 'coordinator')), url TEXT
  ) WITHOUT ROWID;
  -- The newest receipts of a module, or of a function whatever its module, without looking at any other.
  CREATE INDEX ledger_by_address ON ledger (address, id);
  CREATE INDEX ledger_by_function ON ledger (function, id);
  -- Chunks that the node keeps for others; their bytes are files.
  CREATE TABLE chunks (hash TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
  -- Single values.
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  -- Snapshots that committees are drawn from, as canonical JSON, under their hash.
  CREATE TABLE sets (
    set_hash TEXT PRIMARY KEY, project_id TEXT NOT NULL, epoch INTEGER NOT NULL, snapshot BLOB NOT NULL,
    kept_at INTEGER NOT NULL
  );
  CREATE INDEX sets_by_age ON sets (kept_at);
  -- What this node attested, for ever. The key decides that there is one set for each project and epoch.
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
  -- Votes of rounds, of this node and of others: at most two different ones for each kind and key.
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
  `,
  `
  -- Offers of tasks that a miner took, the newest of them. What the vote's receipt hashes is kept until the hub has it.
  CREATE TABLE leases (
    id INTEGER PRIMARY KEY AUTOINCREMENT, offer_id TEXT NOT NULL UNIQUE, round_id TEXT NOT NULL,
    project_id TEXT NOT NULL, function TEXT NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL,
    vote_by INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT, result TEXT, changed_at INTEGER NOT NULL
  );
  CREATE INDEX open_leases ON leases (state) WHERE state IN ('leased', 'voted');
  `,
  `
  -- What state sync has taken of modules that are not whole yet; an entry was held against the hash of its bucket.
  CREATE TABLE sync_buckets (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, hash TEXT NOT NULL, is_whole INTEGER NOT NULL,
    PRIMARY KEY (address, bucket)
  ) WITHOUT ROWID;
  CREATE TABLE sync_entries (
    address TEXT NOT NULL, bucket INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (address, bucket, key)
  ) WITHOUT ROWID;
  -- Modules whose storage is being put in its place from those entries.
  CREATE TABLE sync_installs (
    address TEXT PRIMARY KEY, sequence INTEGER NOT NULL, state_root TEXT NOT NULL
  ) WITHOUT ROWID;
  -- Epochs of projects to settle. The receipt is kept from when a quorum attested it until the hub has it.
  CREATE TABLE epochs (
    project_id TEXT NOT NULL, epoch INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'empty')), due_at INTEGER, receipt TEXT,
    PRIMARY KEY (project_id, epoch)
  ) WITHOUT ROWID;
  CREATE INDEX epochs_open ON epochs (epoch) WHERE state = 'open';
  -- Spans of network time in which the hub heard this node without a pause.
  CREATE TABLE hub_contact (id INTEGER PRIMARY KEY, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL);
  -- What became of evidence that the hub has not taken: refused and withheld is never sent again.
  CREATE TABLE evidence_posts (
    evidence_id INTEGER PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('waiting', 'refused', 'withheld')),
    failures INTEGER NOT NULL
  );
  `,
  `
  -- What a state root is made of, so that a run costs what it changed: the hash of each entry, and of each bucket. It is of
  -- the storage of a module at one sequence; what belongs to another is made again.
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
  `,
  `
  -- Direct rounds in the order in which this node voted in them, with what they take of the disk: the oldest are dropped.
  CREATE TABLE direct_rounds (
    id INTEGER PRIMARY KEY AUTOINCREMENT, round_id TEXT NOT NULL UNIQUE, ledger_id INTEGER NOT NULL,
    issued_at INTEGER NOT NULL, bytes INTEGER NOT NULL, created_at INTEGER NOT NULL
  );
  -- How many there are, and what they take: one row.
  CREATE TABLE direct_totals (id INTEGER PRIMARY KEY CHECK (id = 1), rounds INTEGER NOT NULL, bytes INTEGER NOT NULL);
  INSERT INTO direct_totals VALUES (1, 0, 0);
  CREATE TRIGGER direct_round_kept AFTER INSERT ON direct_rounds BEGIN
    UPDATE direct_totals SET rounds = rounds + 1, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER direct_round_dropped AFTER DELETE ON direct_rounds BEGIN
    UPDATE direct_totals SET rounds = rounds - 1, bytes = bytes - old.bytes;
  END;
  `,
  `
  -- The chain of validator generations that this node follows, each as its coordinator and a quorum signed it. The network
  -- is its name and chain.
  CREATE TABLE validator_generations (
    network TEXT NOT NULL, generation INTEGER NOT NULL, hash TEXT NOT NULL, document TEXT NOT NULL,
    coordinator TEXT NOT NULL, signatures TEXT NOT NULL, PRIMARY KEY (network, generation)
  ) WITHOUT ROWID;
  -- Generations that this node signed, for ever.
  CREATE TABLE signed_generations (
    id INTEGER PRIMARY KEY, network TEXT NOT NULL, generation INTEGER NOT NULL, hash TEXT NOT NULL,
    signature TEXT NOT NULL, signed_at INTEGER NOT NULL, UNIQUE (network, generation, hash)
  );
  -- The length of its epoch says which validators count for a set.
  ALTER TABLE sets ADD COLUMN epoch_secs INTEGER;
  UPDATE sets SET epoch_secs = json_extract(CAST(snapshot AS TEXT), '$.epoch_secs');
    `,
  `
  -- What a direct round made of storage, until it is known what became of the round. Such rounds follow each other, so what
  -- is pending of one is over when the next one is voted on.
  CREATE TABLE pending_changes (
    round_id TEXT PRIMARY KEY, subject TEXT NOT NULL, changes BLOB NOT NULL
  ) WITHOUT ROWID;
  -- Sequence and root of the storage of each module that a quorum signed last, in a round that the coordinator decided.
  CREATE TABLE state_heads (
    address TEXT PRIMARY KEY, sequence INTEGER NOT NULL, root TEXT NOT NULL, round_id TEXT NOT NULL
  ) WITHOUT ROWID;
  `,
  `
  -- When a generation that this node signed takes effect: once that has passed without it, the node signs another one of its
  -- number. Those before were made five minutes ahead.
  ALTER TABLE signed_generations ADD COLUMN effective_at INTEGER NOT NULL DEFAULT 0;
  UPDATE signed_generations SET effective_at = signed_at + 300;
  `,
  `
  -- A round of another module may be decided before this node hears of it, so several are pending. \`written\` is a JSON list of
  -- addresses.
  CREATE TABLE pending_rounds (
    id INTEGER PRIMARY KEY AUTOINCREMENT, round_id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL, written TEXT NOT NULL,
    changes BLOB NOT NULL
  );
  INSERT INTO pending_rounds (round_id, subject, written, changes)
  SELECT round_id, subject, '[]', changes FROM pending_changes;
  DROP TABLE pending_changes;
  `,
]
