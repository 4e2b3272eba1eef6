import * as z from 'zod'
import type { RequestedAction } from '../../../actions/action-calls.ts'
import { defineGaslessRoute } from '../../../actions/gasless-route.ts'
import { payloadExample } from '../../../actions/gasless-schema.ts'
import { prepareOrSubmit } from '../../../actions/gasless-steps.ts'
import { ApiError, invalidField } from '../../../errors.ts'
import { example } from '../../../examples.ts'
import type { ProjectVersion } from '../../../stores/projects.ts'
import { findOwn } from '../../projects/access.ts'
import { hashesExample } from '../../projects/example.ts'
import { ProjectParams, VersionNumber } from '../../projects/schema.ts'
import { manifestOf } from '../../projects/view.ts'

export const publishAction = (version: ProjectVersion): RequestedAction => {
  const { developer } = manifestOf(version)
  return {
    action: 'publish_version',
    account: developer,
    message: {
      developer,
      projectId: version.projectId,
      version: version.version,
      consensusHash: version.consensusHash,
      manifestHash: version.manifestHash,
    },
  }
}

const publishPayloadExample = payloadExample('publish_version', {
  developer: example.wallet,
  projectId: hashesExample.project_id,
  version: 2,
  consensusHash: hashesExample.consensus_hash,
  manifestHash: hashesExample.manifest_hash,
})

export const publishVersion = defineGaslessRoute(
  {
    path: '/v1/developers/projects/{project_id}/versions/{version}/publish',
    operationId: 'publishProjectVersion',
    tag: 'Projects',
    summary: 'Publish a version that changes the consensus',
    description:
      'Without a signed body the answer is the action to sign. With a signed body the hub relays the action. The version is `registered` once its publication is indexed, and active from `effective_epoch`.',
    params: z.object({ ...ProjectParams, version: VersionNumber }),
    steps: prepareOrSubmit(publishPayloadExample),
    errors: ['not_owner', 'not_found', 'invalid_state', 'conflict'],
  },
  async (c, { params: { project_id, version } }) => {
    if (version < 2) throw invalidField('version', 'must be at least 2; the first version is registered')
    const { registry } = await findOwn(c, project_id)
    const found = await c.var.services.projectVersions.find(project_id, version)
    if (found === null)
      throw new ApiError('not_found', `The project ${project_id} has no version ${version}.`)
    return {
      ...publishAction(found),
      requireState: () => requirePublishable(found, registry?.version),
    }
  },
)

function requirePublishable({ version, status }: ProjectVersion, published: unknown): void {
  if (typeof published !== 'number')
    throw new ApiError('invalid_state', 'The project is not registered on the chain yet.')
  if (status !== 'submitted')
    throw new ApiError(
      'invalid_state',
      `Version ${version} is ${status}; only a submitted version that changes the consensus can be published.`,
      { details: { status } },
    )
  if (published >= version)
    throw new ApiError(
      'invalid_state',
      `Version ${published} is published, and the registry accepts only later versions.`,
    )
}
