import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCanonicalJson, hashText, utf8 } from '../encoding/index.ts'
import { exclusionReasons, hashSnapshot, type Snapshot, type SnapshotEntry } from './snapshot.ts'
import { placeCandidates, type SnapshotCandidate } from './snapshot-build.ts'
import { findSnapshotEntry, readSnapshotDocument, SnapshotWriter } from './snapshot-document.ts'

const address = `0x${'ab'.repeat(20)}`

const entryOf = (i: number): SnapshotEntry => ({
  node_key: `0x${i.toString(16).padStart(64, '0')}`,
  subscription_id: hashText(`subscription ${i}`),
  owner: address,
  payout_address: address,
  collateral: String(10n ** 18n * BigInt(i + 1)),
  reputation: 5_000,
  binding_hash: hashText(`binding ${i}`),
})

const entriesMax = 1_500
const known = Array.from({ length: entriesMax }, (_, i) => entryOf(i))

const snapshotOf = ({ entries, excluded }: { entries: number; excluded: number }): Snapshot => ({
  v: 1,
  network: 'hub-testnet',
  project_id: hashText('project'),
  epoch: 498_000,
  epoch_secs: 3_600,
  consensus_hash: hashText('consensus'),
  params_hash: hashText('params'),
  beacon: { block_number: 7, block_hash: hashText('block'), value: hashText('value') },
  min_collateral: '1000000000000000000',
  weight_cap: '10000000000000000000',
  entries: known.slice(0, entries),
  excluded: Array.from({ length: excluded }, (_, i) => ({
    node_key: entryOf(10_000 + i).node_key,
    subscription_id: hashText(`excluded ${i}`),
    reason: exclusionReasons[i % exclusionReasons.length]!,
  })),
})

const snapshots = fc
  .record({ entries: fc.integer({ min: 0, max: entriesMax }), excluded: fc.integer({ min: 0, max: 40 }) })
  .map(snapshotOf)

const write = ({ entries, excluded, ...header }: Snapshot) => {
  const writer = new SnapshotWriter({ ...header, entries: [], excluded: [] })
  for (const entry of entries) writer.add({ entry })
  for (const one of excluded) writer.add({ excluded: one })
  return writer.finish()
}

/** Chunks of a length; longer ones where they would be more than a few thousand, for each of them takes time. */
async function* slices(bytes: Uint8Array, lengthMin: number) {
  const length = Math.max(lengthMin, Math.ceil(bytes.length / 4_000))
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

test('property: a document is the canonical JSON of its snapshot, and reads back from chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(snapshots, fc.integer({ min: 1, max: 5_000 }), async (snapshot, length) => {
      const { pieces, setHash, bytes, entries } = write(snapshot)
      const text = encodeCanonicalJson(snapshot)
      expect(Buffer.concat(pieces).toString()).toBe(text)
      expect({ setHash, bytes, entries }).toEqual({
        setHash: hashSnapshot(snapshot),
        bytes: text.length,
        entries: snapshot.entries.length,
      })
      const read = <E>(keep: (entry: SnapshotEntry) => E) =>
        readSnapshotDocument(slices(utf8(text), length), keep)
      // As texts: comparing all records member by member would take most of the time.
      expect(encodeCanonicalJson(await read((entry) => entry))).toBe(text)
      const keys = snapshot.entries.map(({ node_key }) => node_key)
      expect(await read(({ node_key }) => node_key)).toEqual({ ...snapshot, entries: keys })
      const find = (nodeKey: string) => findSnapshotEntry(slices(utf8(text), length), nodeKey)
      for (const at of [0, entries >> 1, entries - 1]) {
        const entry = snapshot.entries[at]
        if (entry !== undefined) expect(await find(entry.node_key)).toEqual(entry)
      }
      for (const absent of [hashText('stranger'), snapshot.excluded[0]?.node_key ?? ''])
        expect(await find(absent)).toBeNull()
    }),
    { numRuns: 30, examples: [[snapshotOf({ entries: 5, excluded: 2 }), 1]] },
  )
})

const candidate = (subscription_id: string, change: Partial<SnapshotCandidate> = {}): SnapshotCandidate => ({
  ...entryOf(1),
  subscription_id,
  paused: false,
  faulty: false,
  binding: { binding_hash: hashText('binding'), owner: address, public_key: entryOf(1).node_key },
  ...change,
})

test('a snapshot has a key that changed its owner once, for the eligible subscription', () => {
  const elsewhere = { owner: `0x${'cd'.repeat(20)}` }
  const [before, now] = [candidate('0x01', elsewhere), candidate('0x02')]
  for (const both of [
    [before, now],
    [now, before],
  ])
    expect(placeCandidates(both)).toMatchObject({ entry: { subscription_id: '0x02' } })
  const unbound = candidate('0x02', { binding: null })
  for (const both of [
    [before, unbound],
    [unbound, before],
  ])
    expect(placeCandidates(both)).toEqual({
      excluded: { node_key: entryOf(1).node_key, subscription_id: '0x01', reason: 'binding_mismatch' },
    })
})
