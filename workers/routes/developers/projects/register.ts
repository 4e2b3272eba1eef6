import * as z from 'zod'
import { defineGaslessRoute } from '../../../actions/gasless-route.ts'
import { submitOnly } from '../../../actions/gasless-steps.ts'
import { ApiError } from '../../../errors.ts'
import { findOwn } from '../../projects/access.ts'
import { ProjectParams } from '../../projects/schema.ts'
import { manifestOf } from '../../projects/view.ts'
import { registerAction, registerPayloadExample } from './registration.ts'

export const registerProject = defineGaslessRoute(
  {
    path: '/v1/developers/projects/{project_id}/register',
    operationId: 'registerProject',
    tag: 'Projects',
    summary: 'Register a submitted project by signature',
    description:
      'Send `register_by_sig` of the submission with its signature. The hub submits it to the registry. The project is `pending_review` once the registration is indexed.',
    params: z.object(ProjectParams),
    steps: submitOnly(registerPayloadExample),
    errors: ['not_owner', 'not_found', 'invalid_state', 'conflict'],
  },
  async (c, { params: { project_id } }) => {
    const { project, current } = await findOwn(c, project_id)
    return {
      ...registerAction(manifestOf(current), {
        consensus_hash: current.consensusHash,
        manifest_hash: current.manifestHash,
      }),
      requireState: () => {
        if (project.listingStatus !== 'submitted')
          throw new ApiError(
            'invalid_state',
            `The project is ${project.listingStatus}; only a submitted project can be registered.`,
            { details: { listing_status: project.listingStatus } },
          )
      },
    }
  },
)
