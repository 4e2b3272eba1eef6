import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { inDatabase } from '../../../../testing/node/node-database.ts'
import { databaseFile, openDatabase, tablesVersion } from '../../data-dir/database.ts'
import { openServeStore } from './index.ts'
import { migrations } from './migrations.ts'
import { roundStore } from './rounds.ts'
import { taskDataRetention } from './task-data.ts'

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
  expect(tablesVersion).toBe(migrations.length)
})

test('what an earlier build writes into the database of this one is as it should be', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const before = openServeStore(dataDir)
  for (const roundId of ['task:1', 'task:2'])
    before.rounds.hear({ roundId, projectId: 'project', epoch: 7 }, 'key', 5)
  before.close()
  // It knows the tables of the migrations alone.
  inDatabase(dataDir, (db) => db.exec("UPDATE rounds SET judgement = '{}' WHERE round_id = 'task:1'"))
  const { rounds, close } = openServeStore(dataDir)
  onTestFinished(close)
  expect(rounds.open(0, 9, 9).map(({ roundId }) => roundId)).toEqual(['task:1', 'task:2'])
  expect(rounds.dropHeard(9, 9)).toEqual(['task:2'])
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

test('the runs of a validator that an older version kept are dropped as new ones are', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const old = openDatabase(dataDir)
  for (const sql of migrations) old.exec(sql)
  old.exec(`PRAGMA user_version = ${migrations.length}`)
  const vote = old.prepare('INSERT INTO votes VALUES (NULL, ?, ?, ?, ?, ?, 1)')
  vote.run('key', 'finality', 'task:2', '{}', '{"output_b64":""}')
  vote.run('key', 'finality', 'task:3', '{}', 'null')
  old.exec("INSERT INTO rounds (round_id, state, final_seq, seen_at) VALUES ('task:2', 'finalized', 1, 1)")
  old.close()
  openServeStore(dataDir).close()
  const store = openServeStore(dataDir)
  onTestFinished(store.close)
  expect(store.taskData.prune(taskDataRetention, 9_000_000)).toBe(1)
  expect(store.votes.find('key', 'finality', 'task:2')).toEqual({ vote: '{}', answer: null })
  expect(store.votes.find('key', 'finality', 'task:3')).toEqual({ vote: '{}', answer: 'null' })
})

test('open rounds are read by age alone, among any number of rounds that never became final', () => {
  const store = openServeStore(path.join(temporaryFolder(), 'node'))
  onTestFinished(store.close)
  const prepared = vi.spyOn(store.db, 'prepare')
  roundStore(store.db)
  const opens = prepared.mock.calls
    .map(([sql]) => sql)
    .filter((sql) => sql.includes('ORDER BY') && /heard|judged/.test(sql))
  const plans = opens.flatMap((sql) =>
    store.db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  )
  expect(plans.filter((plan) => /TEMP B-TREE|^SCAN/.test(plan))).toEqual([])
  expect(plans.filter((plan) => plan.includes('seen_at'))).toHaveLength(opens.length)
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
