export const projectMigrations = [
  `
  CREATE TABLE tasks (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT UNIQUE,
    state TEXT NOT NULL,
    request TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    -- The end of its wait, in network time: after a change of the epoch length, numbers of epochs cannot be compared.
    waits_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    seq INTEGER,
    round_id TEXT UNIQUE,
    terms TEXT
  );
  -- One seq for each task of an epoch, whatever order they come in.
  CREATE UNIQUE INDEX tasks_by_seq ON tasks (epoch, seq) WHERE seq IS NOT NULL;
  CREATE INDEX tasks_by_state ON tasks (state, position);
  CREATE TABLE sequences (epoch INTEGER PRIMARY KEY, next INTEGER NOT NULL);
  `,
  // Each index is a row more for each task, so the open ones are known in memory, and keys have a table of their own.
  `
  CREATE TABLE keys (
    idempotency_key TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    request TEXT NOT NULL,
    round_id TEXT,
    created_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  INSERT INTO keys SELECT idempotency_key, task_id, request, round_id, created_at FROM tasks
    WHERE idempotency_key IS NOT NULL;
  CREATE TABLE present_tasks (
    task_id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    request TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    waits_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    round_id TEXT,
    terms TEXT
  ) WITHOUT ROWID;
  INSERT INTO present_tasks
    SELECT task_id, position, iif(state IN ('starting', 'running'), 'open', state), request, epoch,
      waits_until, created_at, round_id, terms FROM tasks WHERE state <> 'over';
  DROP TABLE tasks;
  ALTER TABLE present_tasks RENAME TO tasks;
  CREATE INDEX tasks_queued ON tasks (position) WHERE state = 'queued';
  CREATE INDEX tasks_untaken ON tasks (position) WHERE state = 'untaken';
  `,
  // It lags behind the tasks that are stored, so a hub that takes it for the next seq must not read it.
  'ALTER TABLE sequences RENAME TO stored_sequences',
  // How many numbers before `next` were left out because a task that was lost may have had them.
  'ALTER TABLE stored_sequences ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0',
]
