import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../../testing/node/nodectl.ts'
import { openDatabase } from '../../data-dir/database.ts'
import { openServeStore } from './index.ts'
import { migrations } from './migrations.ts'

test('a set that was kept before there were generations counts by the length of its epoch', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const before = migrations.findIndex((sql) => sql.includes('TABLE validator_generations'))
  const old = openDatabase(dataDir)
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  old.exec(`PRAGMA user_version = ${before}`)
  const snapshot = new TextEncoder().encode('{"epoch":7,"epoch_secs":3600}')
  old.prepare('INSERT INTO sets VALUES (?, ?, ?, ?, ?)').run('set', 'project', 7, snapshot, 1)
  old.close()

  const store = openServeStore(dataDir)
  onTestFinished(store.close)
  const set = { setHash: 'set', projectId: 'project', epoch: 7 }
  expect(store.sets.epochSecs(set)).toBe(3600)
  expect(store.sets.epochSecs({ ...set, epoch: 8 })).toBeNull()
  expect(store.sets.epochSecs({ ...set, projectId: 'another' })).toBeNull()
})
