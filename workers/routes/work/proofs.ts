import * as z from 'zod'
import { proofStatuses } from '../../../durable-objects/round/states.ts'
import { findProof } from '../../archive/find-archived.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { PathBytes32, PathNodeId, PathProject } from '../../http/formats.ts'
import { answerPage, keptPage, pageQuery, readsOn } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { ProofStore } from '../../stores/proofs.ts'
import {
  ProofDetail,
  ProofView,
  proofDetailExample,
  proofEvidence,
  proofExample,
  proofView,
} from './schema.ts'

export const listProofs = defineRoute(
  {
    method: 'get',
    path: '/v1/me/proofs',
    operationId: 'listProofs',
    tag: 'Work',
    summary: 'List the proofs of work of your devices, newest first',
    description: `A proof is the vote of one device in one round, or the missed vote. A failed round has no proofs. A round is listed at most two seconds after its end. ${readsOn('With a filter')}`,
    auth: { session: true },
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(proofStatuses).optional(),
      node_id: PathNodeId.optional(),
      project_id: PathProject.optional(),
    }),
    responses: keptPage('ProofPage', ProofView, proofExample),
  },
  async (c, { query: { status, node_id: nodeId, project_id: projectId, ...query } }) => {
    const owner = callerOf(c)
    const { store } = await c.var.services.archive()
    return answerPage(c, {
      list: `proofs status=${status ?? ''} node=${nodeId ?? ''} project=${projectId ?? ''}`,
      isOwn: true,
      query,
      by: ['createdAt', 'roundId', 'position'],
      keep: ({ isMatch }) => isMatch === 1,
      fetch: (after, limit) =>
        c.var.services.store(ProofStore).list(owner, { status, nodeId, projectId }, after, limit),
      archivedBefore: () => store.archivedBefore(),
      view: proofView,
    })
  },
)

export const getProof = defineRoute(
  {
    method: 'get',
    path: '/v1/proofs/{proof_id}',
    operationId: 'getProof',
    tag: 'Work',
    summary: 'Read a proof, with the vote and the decision of the validators',
    description: 'The vote of one member of a committee in one round, and its outcome.',
    params: z.object({ proof_id: PathBytes32.meta({ example: example.digest }) }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The proof.', ProofDetail, proofDetailExample),
  },
  async (c, { params: { proof_id } }) => {
    const { roundFiles } = c.var.services
    const proof = await findProof(c.var.services, proof_id)
    if (proof === null) throw new ApiError('not_found', `The proof ${proof_id} does not exist.`)
    const file = proof.status === 'pending' ? null : await roundFiles.round(proof.roundId)
    return json({
      ...proofView(proof),
      ...(file !== null && proofEvidence(c.var.settings.PROFILE, proof, file)),
    })
  },
)
