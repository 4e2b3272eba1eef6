import { defineRoute, ok } from '../../route.ts'
import { requireAttested } from './access.ts'
import { attestedSnapshot } from './attested-snapshot.ts'
import { AttestedSnapshotView, attestedExample, SetParams } from './schema.ts'

/** The answer while the set is not attested yet. */
export const notAttested = {
  425: {
    description: 'A quorum has not attested the set yet (`invalid_state`, reason `not_attested`).',
    code: 'invalid_state',
  },
} as const

export const getCommitteeSet = defineRoute(
  {
    method: 'get',
    path: '/v1/committees/{project_id}/{epoch}',
    operationId: 'getCommitteeSet',
    tag: 'Committees',
    summary: 'Get the committee set of an epoch',
    description: 'With the signatures of the validators: all data that is needed to recompute committees.',
    params: SetParams,
    cache: { maxAgeSeconds: 60 },
    errors: ['not_found'],
    responses: {
      ...ok('The attested snapshot.', AttestedSnapshotView, attestedExample),
      ...notAttested,
    },
  },
  async (c, { params: { project_id, epoch } }) =>
    attestedSnapshot(c, await requireAttested(c, project_id, epoch)),
)
