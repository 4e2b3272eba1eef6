import { callBatch } from '../../contracts/json-rpc.ts'
import { epochAt } from '../../protocol/committees/index.ts'
import { openStatuses } from '../../protocol/manifest/index.ts'
import { connectTo, readEconomics } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { readTip } from '../../scripts/wrangler-hub.ts'
import { Refusal } from '../../sdk/errors.ts'

/** Returns once the hub has read the chain up to where it is now. @param statePath - Where the hub keeps its data. */
export async function waitForIndex(statePath: string, rpcUrl: string): Promise<void> {
  const [head] = await callBatch(rpcUrl, [['eth_blockNumber']])
  await waitFor(
    'the hub to read the chain',
    async () => readTip(statePath)?.block_number ?? -1,
    (indexed) => indexed >= Number(head),
  )
}

/** Whether a project has sets: none that somebody has paused or removed has any. */
export async function hasSets(hub: string, projectId: string): Promise<boolean> {
  const params = { path: { project_id: projectId } }
  const project = await connectTo(hub).client.find('GET /v1/projects/{project_id}', params)
  return project !== null && openStatuses.includes(project.listing_status)
}

/** Waits for the set of the running epoch, from which the committees of tasks are drawn: a quorum has attested it then. */
export async function waitForSet(hub: string, projectId: string) {
  const { client } = connectTo(hub)
  const { epoch_secs } = await readEconomics(client, projectId)
  const set = await waitFor(
    'the validators to attest the set of the running epoch',
    async () => {
      const epoch = epochAt((await client.call('GET /v1/status')).time, epoch_secs)
      const params = { path: { project_id: projectId, epoch } }
      return client.call('GET /v1/committees/{project_id}/{epoch}', params).catch((error) => {
        if (error instanceof Refusal) return null
        throw error
      })
    },
    (set) => set !== null,
  )
  return set!
}
