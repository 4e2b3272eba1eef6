import { randomBytes } from 'node:crypto'
import { waitFor } from '../../scripts/hub/wait.ts'
import { keepLetter } from '../network-database.ts'
import { registered } from './building.ts'
import type { Givens } from './given.ts'
import type { Stage } from './stage.ts'

const asOperator = ({ operator }: Stage) => ({ token: operator.token })

const letter = ({ operator, backstage }: Stage) => {
  const message_id = randomBytes(16).toString('hex')
  keepLetter(backstage.folder, message_id)
  return { token: operator.token, path: { message_id } }
}

/** Values for the samples of reads and decisions by operators. */
export const operatingGivens = {
  listNodes: asOperator,
  getPendingValidators: asOperator,
  listReports: asOperator,
  listReviewQueue: asOperator,
  listDeadLetters: asOperator,
  getRelayer: asOperator,
  getMetrics: asOperator,
  listAuditLog: asOperator,
  decideEnrollment: async (stage) => {
    const path = { address: (await stage.newDeveloper()).address }
    await stage.operator.client.call('POST /admin/v1/developers/{address}/enrollment', {
      path,
      body: { status: 'rejected' },
    })
    return { ...asOperator(stage), path }
  },
  decideVerification: async (stage) => ({
    ...asOperator(stage),
    path: { address: (await stage.newDeveloper()).address },
  }),
  approveNode: async (stage) => ({
    ...asOperator(stage),
    path: { node_id: (await stage.newNode('miner')).nodeId },
  }),
  revokeNode: async (stage) => ({
    ...asOperator(stage),
    path: { node_id: (await stage.newNode('miner')).nodeId },
  }),
  banDevice: async (stage) => ({ ...asOperator(stage), path: { node_id: (await stage.newDevice()).nodeId } }),
  reviewProject: async (stage) => {
    const { path } = await registered(stage)
    stage.listed.push(path)
    return { ...asOperator(stage), path }
  },
  putCollection: (stage, { example }) => ({
    ...asOperator(stage),
    body: { ...(example as object), project_ids: [stage.projectId] },
  }),
  deleteCollection: async (stage, { exampleOf }) => {
    const path = { collection_id: 'first-projects' }
    const body = { ...(exampleOf('putCollection') as object), project_ids: [] }
    await stage.operator.client.call('PUT /admin/v1/collections/{collection_id}', {
      path,
      body: body as never,
    })
    return { ...asOperator(stage), path }
  },
  resendDeadLetter: letter,
  closeDeadLetter: letter,
} satisfies Givens

/** Values for the samples that change a hub or its validators for everybody. */
export const hubGivens = {
  putFaucet: asOperator,
  reindex: asOperator,
  rebuildRounds: asOperator,
  dumpObjects: asOperator,
  noteBackup: asOperator,
  compareObjects: asOperator,
  loadObject: asOperator,
  resumeObjects: (stage) => ({ ...asOperator(stage), refused: 'invalid_state' }),
  beginValidators: async (stage) => ({
    ...asOperator(stage),
    body: { node_ids: [stage.deviceOf(stage.seedIn('validators/1')).nodeId] },
    refused: 'invalid_state',
  }),
  changeValidators: async (stage, { turn }) => {
    const { operator } = stage
    const allSigned = () =>
      waitFor(
        'the generation to be signed',
        () => operator.client.call('GET /admin/v1/validators/pending'),
        ({ pending }) => pending === null,
      )
    await allSigned()
    const { items } = await operator.client.call('GET /v1/validators/generations')
    if (turn === 0) {
      const { nodeId } = await stage.newNode('validator')
      return { token: operator.token, body: { approve: [nodeId], revoke: [] } }
    }
    // The network has its own validators again.
    const own = [1, 2, 3, 4].map((one) => stage.deviceOf(stage.seedIn(`validators/${one}`)).nodeId)
    const added = items[0]!.validators.filter(({ node_id }) => !own.includes(node_id))
    return { token: operator.token, body: { approve: [], revoke: added.map(({ node_id }) => node_id) } }
  },
} satisfies Givens
