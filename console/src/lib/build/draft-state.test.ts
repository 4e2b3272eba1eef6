import { expect, test } from 'vitest'
import { isTaken } from './draft-state.ts'

const project = (listing_status: string, version: number, pending: [number, string] | null = null) =>
  ({
    ...{ listing_status, version },
    pending_version: pending && { version: pending[0], status: pending[1] },
  }) as never

test.each([
  ['a project unknown to the hub', null, 1, false],
  ['a project not yet on chain', project('submitted', 1), 1, false],
  ['a project in review', project('pending_review', 1), 1, true],
  ['the next version', project('listed', 1), 2, false],
  ['a version in force', project('listed', 2), 2, true],
  ['an older version', project('listed', 3), 2, true],
  ['a version that waits for its epoch', project('listed', 1, [2, 'registered']), 2, true],
  ['a stored but unpublished version', project('listed', 1, [2, 'submitted']), 2, false],
])('%s is signed already: %s', (_, one, version, expected) => expect(isTaken(one, version)).toBe(expected))
