import * as z from 'zod'
import { zeroAddress } from '../../../../protocol/encoding/index.ts'
import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import type { RequestedAction } from '../../../actions/action-calls.ts'
import { encodeDirectCall } from '../../../actions/action-calls.ts'
import { type DirectTransaction, directTransaction } from '../../../actions/direct-transaction.ts'
import { defineGaslessRoute } from '../../../actions/gasless-route.ts'
import {
  DirectTransaction as DirectTransactionShape,
  GaslessPayload,
  payloadExample,
} from '../../../actions/gasless-schema.ts'
import { submitOnly } from '../../../actions/gasless-steps.ts'
import { preparePayload } from '../../../actions/prepare.ts'
import type { HubContext } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { example } from '../../../examples.ts'
import { findOwn } from '../../projects/access.ts'
import { hashesExample, manifestExample, projectExample } from '../../projects/example.ts'
import { ProjectParams, ProjectView } from '../../projects/schema.ts'
import { manifestOf } from '../../projects/view.ts'

export const Registration = z
  .strictObject({
    project: ProjectView,
    register_tx: DirectTransactionShape,
    register_by_sig: GaslessPayload.optional().describe(
      'Sign it and post it to …/register. Left out if this hub has no registry.',
    ),
  })
  .meta({ id: 'Registration' })

const exampleMessage = {
  developer: example.wallet,
  slug: manifestExample.slug,
  worker: manifestExample.consensus.modules.worker,
  consensusHash: hashesExample.consensus_hash,
  manifestHash: hashesExample.manifest_hash,
}

const registerPayloadExample = payloadExample('register_project', exampleMessage)

const noTransaction = (chainId: number): DirectTransaction => ({
  chain_id: chainId,
  to: zeroAddress,
  data: '0x',
  value: '0',
  description: 'This hub has no registry yet.',
})

const { registry_tx: _, ...unregistered } = projectExample

export const registrationExample = {
  project: {
    ...unregistered,
    listing_status: 'submitted' as const,
    listed_at: 0,
    review: { status: 'pending' as const, reason: null, conditions: [], decided_at: null },
  },
  register_tx: {
    chain_id: 31337,
    to: example.contracts.project_registry,
    data: encodeDirectCall('register_project', exampleMessage),
    value: '0',
    description: 'Registers the project with its first version.',
  },
  register_by_sig: registerPayloadExample,
}

export const registerAction = (
  { developer, slug, consensus }: ProjectManifest,
  hashes: { consensus_hash: string; manifest_hash: string },
): RequestedAction => ({
  action: 'register_project',
  account: developer,
  message: {
    developer,
    slug,
    worker: consensus.modules.worker,
    consensusHash: hashes.consensus_hash,
    manifestHash: hashes.manifest_hash,
  },
})

/**
 * The two ways onto the chain: a transaction of the developer's own, and one the hub sends for a signature. @throws {@link ApiError} 503
 * `unavailable` while the chain does not answer.
 */
export async function waysToRegister(c: HubContext, action: RequestedAction) {
  const { CHAIN_CONTRACTS: contracts, PROFILE: profile } = c.var.settings
  if (contracts === undefined) return { register_tx: noTransaction(profile.chain_id) }
  return {
    register_tx: directTransaction(c, action.action, action.message),
    register_by_sig: await preparePayload(c, action),
  }
}

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
