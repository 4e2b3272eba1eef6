import { expect, test } from 'vitest'
import { epochStart } from '../../../../protocol/committees/index.ts'
import { utf8 } from '../../../../protocol/encoding/index.ts'
import { hashNetworkParams, makeSchedule } from '../../../../protocol/identity/index.ts'
import { createTestProject, params, profile } from '../../../../testing/node/test-project.ts'
import { readAttestedSet } from './attested-sets.ts'

const { snapshot, setHash } = createTestProject()
const starts = epochStart(snapshot.epoch, snapshot.epoch_secs)
const change = { audit_bp: 2_000 }

/** The set of an epoch, built under some parameters, as a node reads it that knows of a change at a time. */
const readAt = (from: number, built = params) => {
  const of = { ...snapshot, params_hash: hashNetworkParams(built) }
  return readAttestedSet({
    bytes: utf8(JSON.stringify({ snapshot: of, attestations: [] })),
    named: { setHash, projectId: of.project_id, epoch: of.epoch },
    use: 'draw',
    profile,
    schedule: makeSchedule(params, [{ from, params: change }]),
    generations: [],
  })
}

test('a set with old parameters for an epoch that begins at the change shows that the hub is behind', () => {
  expect(readAt(starts)).toEqual({
    status: 'outdated',
    problem: `the set was built under other parameters of the network: those in force before ${starts}`,
  })
})

test('a set of an epoch that begins before the change has the old parameters until it ends', () => {
  expect(readAt(starts + 1).status).toBe('unattested')
})

test('a set with parameters of a later epoch, or unknown ones, shows that the node is behind', () => {
  for (const built of [
    { ...params, ...change },
    { ...params, audit_bp: 3_000 },
  ])
    expect(readAt(starts + 1, built)).toMatchObject({
      status: 'invalid',
      code: 'invalid_set',
      problem: expect.stringContaining('update nodectl'),
    })
})
