import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolveProfile } from '../../../../protocol/identity/index.ts'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { databaseFile, openDatabase } from '../../data-dir/database.ts'
import { type ProvenEntry, readBuckets, readPage } from './module-state.ts'
import { type StatePage, type StatePlace, StateReader } from './state-reader.ts'

const profile = resolveProfile()
const address = `0x${'11'.repeat(32)}`
const reader = new StateReader(profile)
const byKey = (a: ProvenEntry, b: ProvenEntry) => (a.key < b.key ? -1 : 1)

/** A database with entries of one module. */
function storeOf(entries: readonly ProvenEntry[]): string {
  const folder = temporaryFolder()
  const db = openDatabase(folder)
  const put = db.prepare('INSERT INTO storage VALUES (?, ?, ?)')
  for (const { key, value } of entries) put.run(address, key, value)
  db.prepare('INSERT INTO sequences VALUES (?, 3)').run(address)
  db.close()
  return databaseFile(folder)
}

const shown = (entries: readonly ProvenEntry[]) =>
  [...entries].sort(byKey).map(({ key, value }) => [key, Buffer.from(value).toString('hex')])

/** Numbers of keys that share a bucket. They are listed because finding them takes a hundred thousand hashes. */
const inBucket7 = [
  134, 3957, 8026, 10658, 17629, 29328, 30493, 32524, 33508, 38535, 38609, 41788, 43325, 47608, 50461, 56299,
  57519, 59092, 64047, 65935, 70212, 82188, 89656, 93477,
]

/** Large entries whose keys share a bucket. */
const inOneBucket = (count: number): ProvenEntry[] =>
  inBucket7
    .slice(0, count)
    .map((i) => ({ key: Buffer.from(`key ${i}`).toString('hex'), value: new Uint8Array(40_000).fill(i) }))
    .sort(byKey)

function stateOf(file: string) {
  const summary = reader.summary(file, address)
  return readBuckets(profile, summary, { address, ...summary })
}

function pageAt(file: string, place: StatePlace): StatePage {
  const found = reader.page(file, address, 3, place)
  if (found.status !== 'found') throw new Error(found.status)
  return found.page
}

/** The entries that a peer takes, page by page. */
function takeAll(file: string): ProvenEntry[] {
  const state = stateOf(file)
  const taken: ProvenEntry[] = []
  let place: StatePlace | null =
    state.buckets[0] === undefined ? null : { bucket: state.buckets[0][0], index: 0 }
  while (place !== null) {
    const proven = readPage(pageAt(file, place), state, place)
    for (const { entries } of proven) for (const entry of entries) taken.push(entry)
    const { bucket, index, entries, isEnd } = proven.at(-1)!
    const next = state.buckets.find(([other]) => other > bucket)
    if (!isEnd) place = { bucket, index: index + entries.length }
    else place = next === undefined ? null : { bucket: next[0], index: 0 }
  }
  return taken
}

describe('the pages of a store', () => {
  const entries = fc.uniqueArray(
    fc.record({
      key: fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex')),
      value: fc.uint8Array({ minLength: 1, maxLength: 64 }),
    }),
    { selector: ({ key }) => key, maxLength: 60 },
  )

  test('property: a node that takes all pages has the same store', () => {
    fc.assert(
      fc.property(entries, (given) => {
        expect(shown(takeAll(storeOf(given)))).toEqual(shown(given))
      }),
      { numRuns: 20 },
    )
  })

  test('a bucket that is too large for a page is sent in parts, each with the leaves of the others', () => {
    const given = inOneBucket(24)
    const file = storeOf(given)
    const state = stateOf(file)
    expect(state.buckets).toHaveLength(1)
    const first = pageAt(file, { bucket: state.buckets[0]![0], index: 0 })
    expect(first.buckets[0]?.after.length).toBeGreaterThan(0)
    expect(takeAll(file)).toHaveLength(24)
  })

  test('a store that has changed since returns no page', () => {
    const file = storeOf(inOneBucket(2))
    const [[bucket] = [0]] = stateOf(file).buckets
    const db = new DatabaseSync(file)
    db.exec('UPDATE sequences SET sequence = 4')
    db.close()
    expect(reader.page(file, address, 3, { bucket, index: 0 })).toEqual({ status: 'moved', sequence: 4 })
    expect(reader.page(file, address, 4, { bucket, index: 2 })).toEqual({ status: 'nothing' })
  })
})

describe('a page that differs from the request is refused', () => {
  const file = storeOf(inOneBucket(24))
  const state = stateOf(file)
  const place = { bucket: state.buckets[0]![0], index: 0 }
  const page = pageAt(file, place)
  const [only] = page.buckets
  const withBucket = (change: object) => ({ ...page, buckets: [{ ...only, ...change }] })
  const [first, second, ...others] = only!.entries

  test.each<[string, unknown]>([
    ['no object', null],
    ['another root', { ...page, state_root: address }],
    ['another sequence', { ...page, sequence: 4 }],
    ['no buckets', { ...page, buckets: [] }],
    ['more buckets than there are', { ...page, buckets: [only, only] }],
    ['another bucket', withBucket({ bucket: only!.bucket + 1 })],
    ['another place', withBucket({ before: [only!.after[0]] })],
    ['no entries', withBucket({ entries: [] })],
    ['entries out of order', withBucket({ entries: [second, first, ...others] })],
    ['an entry left out', withBucket({ entries: [first, ...others] })],
    ['another value', withBucket({ entries: [{ ...first, value_b64: 'AA==' }, second, ...others] })],
    ['a value spelt otherwise', withBucket({ entries: [{ ...first, value_b64: 'AA=' }, second, ...others] })],
    ['a key of another bucket', withBucket({ entries: [{ ...first, key: '00' }, second, ...others] })],
    ['a leaf left out', withBucket({ after: only!.after.slice(1) })],
    ['invalid leaves', withBucket({ after: ['x'] })],
  ])('%s', (_, answer) => {
    expect(() => readPage(answer, state, place)).toThrow(expect.objectContaining({ name: 'PeerError' }))
  })

  test('a list of buckets that does not match the root is refused as well', () => {
    const summary = reader.summary(file, address)
    for (const buckets of [
      null,
      [],
      [[place.bucket, address]],
      [...summary.buckets, ...summary.buckets],
      [[5000, address]],
    ])
      expect(() => readBuckets(profile, { ...summary, buckets }, { address, ...summary })).toThrow(
        expect.objectContaining({ name: 'PeerError' }),
      )
  })
})
