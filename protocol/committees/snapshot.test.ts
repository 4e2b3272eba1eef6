import fc from 'fast-check'
import { expect } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { candidateLists } from '../testing/agreement/candidates.ts'
import { consensus, params } from '../testing/agreement/network.ts'
import { withShuffled } from '../testing/arbitraries.ts'
import { property } from '../testing/property.ts'
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

property('anything that is no snapshot is refused by its own error', [fc.anything()], (value) => {
  expect(() => parseSnapshot(value, bounds)).toThrowError(SnapshotError)
})

const shuffled = withShuffled(candidateLists)
property(
  'candidates in any order give one set hash, and a set that keeps the rules',
  [shuffled],
  ([list, again]) => {
    const build = (candidates: readonly SnapshotCandidate[]) =>
      buildSnapshot(resolveProfile(), { ...source, candidates })
    const snapshot = build(list)
    expect(hashSnapshot(build(again))).toBe(hashSnapshot(snapshot))
    expect(parseSnapshot(snapshot, bounds)).toEqual(snapshot)
  },
)
