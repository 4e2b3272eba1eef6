import { readFileSync } from 'node:fs'
import path from 'node:path'
import { waitForSet } from '../../localnet/nodes/ready.ts'
import { attestSnapshot } from '../../protocol/committees/index.ts'
import { encodeTaskInput, hashPayload } from '../../protocol/execution/index.ts'
import { inputAddress } from '../../workers/rounds/input-address.ts'
import type { Givens } from './given.ts'
import { registration, type Stage } from './stage.ts'

const input = 'reference'.repeat(30_000)

/** An input that is a file of the hub, because a task had it. */
async function ticketOf({ network, client, projectId, backstage: { folder } }: Stage): Promise<string> {
  await client.call('POST /v1/projects/{project_id}/tasks', {
    path: { project_id: projectId },
    body: { function: 'echo', input },
  })
  const HUB_SECRET = readFileSync(path.join(folder, 'hub-secret'), 'utf8').trim()
  const hash = hashPayload(encodeTaskInput({ input }))
  const until = (await network.now()) + 600
  const address = inputAddress({ HUB_SECRET, BASE_URL: new URL(network.hub) }, hash, until)
  return String(address.split('/').at(-1))
}

const validator = 'validators/1'

/** The set of the epoch that runs, which comes some seconds after its beginning. */
const setOf = async ({ network, projectId }: Stage) => {
  const { snapshot, set_hash } = await waitForSet(network.hub, projectId)
  return { place: { project_id: projectId, epoch: snapshot.epoch }, setHash: set_hash }
}

/** An epoch of which the hub has the receipt. */
const attestedEpoch = async ({ client, projectId }: Stage) => {
  const { items } = await client.call('GET /v1/explorer/epochs', { query: { project_id: projectId } })
  const found = items.find(({ status }) => !['open', 'closed'].includes(status))
  if (found === undefined) throw new Error(`no epoch has a receipt: ${JSON.stringify(items)}`)
  return { project_id: projectId, epoch: found.epoch }
}

/** Values for the samples of public reads, and of node calls. */
export const recordGivens = {
  getDescriptor: () => ({}),
  getDocs: () => ({}),
  getAccount: () => ({}),
  getBalances: () => ({}),
  getTransaction: async ({ network, newWallet }) => {
    const headers = { Authorization: `Bearer ${(await newWallet()).token}` }
    const dripped = await fetch(`${network.hub}/v1/faucet/drip`, { method: 'POST', headers })
    return { path: { id: dripped.headers.get('location')?.split('/').at(-1) } }
  },
  getTask: ({ task }) => ({ path: { task_id: task.task_id } }),
  getTaskInput: async (stage) => ({ path: { ticket: await ticketOf(stage) } }),
  getRound: ({ task }) => ({ path: { round_id: task.round_id } }),
  getReceipt: ({ task }) => ({ path: { receipt_hash: task.receipt_hash } }),
  getProof: async ({ miner: { client } }) => {
    const { items } = await client.call('GET /v1/me/proofs')
    return { path: { proof_id: items[0]?.proof_id } }
  },
  getEpoch: async (stage) => ({ path: await attestedEpoch(stage) }),
  getCommitteeSet: async (stage) => ({ path: (await setOf(stage)).place }),
  getCommittee: async (stage) => ({ path: { ...(await setOf(stage)).place, seq: 0 } }),
  getBeacon: async ({ epochSecs, epochOf }) => ({
    path: { epoch_secs: epochSecs, epoch: await epochOf() },
  }),
  getCollection: async ({ operator }, { exampleOf }) => {
    const path = { collection_id: 'first-projects' }
    const body = { ...(exampleOf('putCollection') as object), project_ids: [] }
    await operator.client.call('PUT /admin/v1/collections/{collection_id}', { path, body: body as never })
    return { path }
  },
  downloadArchive: () => ({ refused: 'not_found' }),

  registerNode: ({ newSeed, network, profile }) => ({
    key: newSeed(),
    body: {
      ...registration(network.hub, profile.network, 'validator'),
      capabilities: ['execute'],
      region: 'eu-west',
    },
  }),
  heartbeat: async ({ newNode }) => ({ key: (await newNode('miner')).seed }),
  connectRelay: async ({ newDevice }) => ({ key: (await newDevice()).seed, prints: '"type":"hello"' }),
  getNodeCommitteeSet: async (stage) => ({
    key: stage.seedIn(validator),
    path: (await setOf(stage)).place,
  }),
  attestCommitteeSet: async (stage) => {
    const { place, setHash } = await setOf(stage)
    const key = stage.seedIn(validator)
    return { key, path: place, body: attestSnapshot(stage.profile, key, setHash) }
  },
  submitEpochReceipt: async (stage) => {
    const { receipt } = await stage.client.call('GET /v1/explorer/epochs/{project_id}/{epoch}', {
      path: await attestedEpoch(stage),
    })
    return { key: stage.seedIn(validator), body: receipt, refused: 'duplicate' }
  },
} satisfies Givens
