import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { databaseFile, openDatabase } from '../../data-dir/database.ts'
import { openServeStore } from './index.ts'
import { migrations } from './migrations.ts'
import { taskDataRetention } from './task-data.ts'

/** Does something with the database of a data directory that no store has open. */
function inDatabase<T>(dataDir: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(databaseFile(dataDir))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

test('a new data directory gets every migration once, and can be opened again', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const first = openServeStore(dataDir)
  first.facts.set('name', 'value')
  first.close()
  const again = openServeStore(dataDir)
  expect(again.facts.get('name')).toBe('value')
  again.close()
  expect(inDatabase(dataDir, (db) => db.prepare('PRAGMA user_version').get())).toEqual({
    user_version: migrations.length,
  })
})

test('the database of an earlier version is brought up to date, with everything in it', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  openDatabase(dataDir).close()
  inDatabase(dataDir, (db) =>
    db.exec(`${migrations[0]} PRAGMA user_version = 1;
      INSERT INTO rounds (round_id, project_id, epoch, state, seen_at) VALUES ('task:1', 'project', 7, 'pending', 5);`),
  )
  const { rounds, close } = openServeStore(dataDir)
  expect(rounds.find('task:1')).toMatchObject({ projectId: 'project', state: 'pending' })
  expect(rounds.open(0, 9, 9)).toHaveLength(1)
  close()
})

test('the database of another version is refused with the fix, and stays as it is', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  openServeStore(dataDir).close()
  const other = migrations.length + 9
  inDatabase(dataDir, (db) => db.exec(`PRAGMA user_version = ${other}`))
  const before = readFileSync(databaseFile(dataDir))
  expect(() => openServeStore(dataDir)).toThrow(
    expect.objectContaining({
      code: 'data_dir',
      message: expect.stringMatching(
        new RegExp(
          `node.sqlite was written by another version of nodectl: its tables have version ${other}, .*install that version`,
        ),
      ),
    }),
  )
  expect(readFileSync(databaseFile(dataDir))).toEqual(before)
})

test('data of tasks that an older version kept is dropped as new data is', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const old = openDatabase(dataDir)
  for (const sql of migrations.slice(0, 2)) old.exec(sql)
  old.exec('PRAGMA user_version = 2')
  const vote = old.prepare('INSERT INTO votes VALUES (NULL, ?, ?, ?, ?, ?, 1)')
  vote.run('key', 'task', 'task:1', '{"receipt_hash":"of a task"}', null)
  vote.run('key', 'finality', 'task:2', '{}', '{"output_b64":""}')
  vote.run('key', 'finality', 'task:3', '{}', 'null')
  const receipt = old.prepare("INSERT INTO ledger VALUES (NULL, 'module', 'f', ?, '{}', 1)")
  for (const hash of ['of a task', 'of a direct round', 'of the operator']) receipt.run(hash)
  old.exec("INSERT INTO rounds (round_id, state, final_seq, seen_at) VALUES ('task:2', 'finalized', 1, 1)")
  old.close()
  const store = openServeStore(dataDir)
  onTestFinished(store.close)
  expect(store.taskData.prune(taskDataRetention, 9_000_000)).toBe(2)
  expect(store.ledger.newest({ address: null, functionName: null, before: null, limit: 9 })).toEqual([3, 2])
  expect(store.votes.find('key', 'finality', 'task:2')).toEqual({ vote: '{}', answer: null })
  expect(store.votes.find('key', 'task', 'task:1')).not.toBeNull()
})

test('no statement that drops or changes rows reads a whole table that grows with the rounds', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => prepared.mockRestore())
  openServeStore(dataDir).close()
  const changing = prepared.mock.calls
    .map(([sql]) => sql)
    .filter((sql) => /^\s*(DELETE|INSERT|UPDATE)/.test(sql))
  expect(changing.length).toBeGreaterThan(9)
  const plans = inDatabase(dataDir, (db) =>
    changing.flatMap((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => `${detail}: ${sql}`),
    ),
  )
  expect(plans.filter((plan) => /^SCAN (votes|ledger|rounds|round_votes|attestations)\b/.test(plan))).toEqual(
    [],
  )
})
