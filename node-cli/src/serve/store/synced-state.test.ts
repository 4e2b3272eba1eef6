import { expect, test } from 'vitest'
import { hashText } from '../../../../protocol/encoding/index.ts'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { openServeStore, type ServeStore } from './index.ts'

const target = { address: `0x${'11'.repeat(32)}`, sequence: 7, state_root: `0x${'22'.repeat(32)}` }
const newer = { ...target, sequence: 8, state_root: `0x${'33'.repeat(32)}` }
const hash = hashText('a bucket')
const otherHash = hashText('the same bucket later')
const count = 1_200

/** Keeps all entries of a module, in one bucket. */
function take({ syncedState }: ServeStore): void {
  const entries = Array.from({ length: count }, (_, i) => ({
    key: i.toString(16).padStart(4, '0'),
    value: new Uint8Array([i % 256]),
  }))
  syncedState.keep(target.address, [{ bucket: 5, hash, index: 0, entries, isEnd: true }])
}

const stored = ({ db }: ServeStore): number =>
  (db.prepare('SELECT count(*) AS count FROM storage').get() as { count: number }).count

/** A store whose process ended while it put storage in its place. */
function openHalfInstalled(): ServeStore {
  const folder = temporaryFolder()
  const store = openServeStore(folder)
  take(store)
  store.syncedState.beginInstall(target)
  expect(store.syncedState.installSome(target)).toBe(false)
  store.close()
  return openServeStore(folder)
}

test('the next process completes a swap of the state that was begun', () => {
  const store = openHalfInstalled()
  expect(stored(store)).toBe(500)
  expect(store.syncedState.installing(target.address)).toEqual(target)
  expect(store.modules.sequence(target.address)).toBe(0)
  while (!store.syncedState.installSome(target));
  expect([stored(store), store.modules.sequence(target.address)]).toEqual([count, 7])
  expect(store.syncedState.installing(target.address)).toBeNull()
  expect(store.syncedState.kept(target.address, [[5, hash]])).toEqual(new Map())
})

test('a swap that was begun is undone for a newer state, and at the end of a sync that does not need it', () => {
  const dropped = openHalfInstalled()
  dropped.syncedState.dropInstall(target.address)
  expect([stored(dropped), dropped.syncedState.installing(target.address)]).toEqual([0, null])
  take(dropped)
  dropped.syncedState.beginInstall(newer)
  while (!dropped.syncedState.installSome(newer));
  expect([stored(dropped), dropped.modules.sequence(target.address)]).toEqual([count, 8])

  const left = openHalfInstalled()
  left.syncedState.complete()
  expect([stored(left), left.syncedState.installing(target.address)]).toEqual([0, null])
  expect(left.syncedState.progress()).toBe('complete')
})

test('buckets of another hash are deleted, and the progress of the others is known', () => {
  const store = openServeStore(temporaryFolder())
  take(store)
  store.syncedState.keep(target.address, [
    { bucket: 6, hash, index: 0, entries: [{ key: 'ff', value: new Uint8Array(1) }], isEnd: false },
  ])
  expect(
    store.syncedState.kept(target.address, [
      [5, hash],
      [6, hash],
    ]),
  ).toEqual(
    new Map([
      [5, { entries: count, isWhole: true }],
      [6, { entries: 1, isWhole: false }],
    ]),
  )
  expect(
    store.syncedState.kept(target.address, [
      [5, otherHash],
      [6, hash],
    ]),
  ).toEqual(new Map([[6, { entries: 1, isWhole: false }]]))
})
