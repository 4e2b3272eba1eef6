import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeVectors } from '../vectors/suite.ts'
import { parseSnapshot, SnapshotError } from './snapshot.ts'

describeVectors('snapshot')

const bounds = { reputation_min: 1000, reputation_max: 10_000 }

test('property: anything that is no snapshot is refused by its own error', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(() => parseSnapshot(value, bounds)).toThrowError(SnapshotError)
    }),
  )
})
