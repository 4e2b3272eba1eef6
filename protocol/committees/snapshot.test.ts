import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { candidateLists } from '../testing/agreement/candidates.ts'
import { consensus, params } from '../testing/agreement/network.ts'
import { describeVectors } from '../vectors/suite.ts'
import { hashSnapshot, parseSnapshot, SnapshotError } from './snapshot.ts'
import { buildSnapshot, type SnapshotCandidate } from './snapshot-build.ts'

describeVectors('snapshot')

const source = {
  project_id: hashText('project'),
  epoch: 7,
  consensus,
  params,
  beacon: { block_number: 7, block_hash: hashText('block'), value: hashText('value') },
}
const bounds = { reputation_min: 1000, reputation_max: 10_000 }

test('property: anything that is no snapshot is refused by its own error', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(() => parseSnapshot(value, bounds)).toThrowError(SnapshotError)
    }),
  )
})

test('property: candidates in any order give one set hash, and a set that keeps the rules', () => {
  const shuffled = candidateLists.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  )
  fc.assert(
    fc.property(shuffled, ([list, again]) => {
      const build = (candidates: readonly SnapshotCandidate[]) =>
        buildSnapshot(resolveProfile(), { ...source, candidates })
      const snapshot = build(list)
      expect(hashSnapshot(build(again))).toBe(hashSnapshot(snapshot))
      expect(parseSnapshot(snapshot, bounds)).toEqual(snapshot)
    }),
  )
})
