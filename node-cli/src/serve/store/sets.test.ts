import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../../testing/node/nodectl.ts'
import { openServeStore } from './index.ts'

test('a set gives the length of its epoch for its own project and epoch alone', () => {
  const store = openServeStore(path.join(temporaryFolder(), 'node'))
  onTestFinished(store.close)
  const set = { setHash: 'set', projectId: 'project', epoch: 7 }
  const snapshot = new TextEncoder().encode('{}')
  store.sets.keep({ ...set, epochSecs: 3_600, snapshot }, 1)
  expect(store.sets.epochSecs(set)).toBe(3_600)
  expect(store.sets.snapshot('set')).toEqual(snapshot)
  expect(store.sets.epochSecs({ ...set, epoch: 8 })).toBeNull()
  expect(store.sets.epochSecs({ ...set, projectId: 'another' })).toBeNull()
})
