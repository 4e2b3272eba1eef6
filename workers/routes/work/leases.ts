import * as z from 'zod'
import { leaseStates } from '../../../durable-objects/round/states.ts'
import { PathNodeId, PathProject } from '../../http/formats.ts'
import { answerPage, keptPage, pageQuery, readsOn } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import { ProofStore } from '../../stores/proofs.ts'
import { LeaseView, leaseExample, leaseView } from './schema.ts'

export const listLeases = defineRoute(
  {
    method: 'get',
    path: '/v1/me/leases',
    operationId: 'listLeases',
    tag: 'Work',
    summary: 'List the leases of your devices, newest first',
    description: `A lease is the offer of a task to one device. It belongs to the wallet to which the device was bound when the committee was drawn. A round is listed at most two seconds after its end, and an open one once it is open for 15 seconds. ${readsOn('With a filter')}`,
    auth: { session: true },
    query: z.strictObject({
      ...pageQuery,
      state: z.enum(leaseStates).optional(),
      node_id: PathNodeId.optional(),
      project_id: PathProject.optional(),
    }),
    responses: keptPage('LeasePage', LeaseView, leaseExample),
  },
  async (c, { query: { state, node_id: nodeId, project_id: projectId, ...query } }) => {
    const owner = callerOf(c)
    const { store } = await c.var.services.archive()
    return answerPage(c, {
      list: `leases state=${state ?? ''} node=${nodeId ?? ''} project=${projectId ?? ''}`,
      isOwn: true,
      query,
      by: ['createdAt', 'roundId', 'position'],
      keep: ({ isMatch }) => isMatch === 1,
      fetch: (after, limit) =>
        c.var.services.store(ProofStore).leases(owner, { state, nodeId, projectId }, after, limit),
      archivedBefore: () => store.archivedBefore(),
      view: leaseView,
    })
  },
)
