import { callBatch } from '../../contracts/json-rpc.ts'
import { epochAt } from '../../protocol/committees/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { connect } from '../../sdk/connect.ts'
import { readEconomics } from '../../sdk/projects.ts'
import { waitFor } from '../../sdk/wait.ts'

/** Returns once the hub has read the chain up to where it is now. */
export async function waitForIndex(hub: string, rpcUrl: string): Promise<void> {
  const client = connect(hub)
  const [head] = await callBatch(rpcUrl, [['eth_blockNumber']])
  await waitFor(
    'the hub to read the chain',
    async () => (await unwrap(client.GET('/v1/status'))).chain?.indexed_block ?? -1,
    (indexed) => indexed >= Number(head),
  )
}

/** Returns once a quorum has attested the set of the running epoch, from which the committees of tasks are drawn. */
export async function waitForSet(hub: string, projectId: string): Promise<void> {
  const client = connect(hub)
  const { epoch_secs } = await readEconomics(client, projectId)
  await waitFor(
    'the validators to attest the set of the running epoch',
    async () => {
      const epoch = epochAt((await unwrap(client.GET('/v1/status'))).time, epoch_secs)
      const params = { path: { project_id: projectId, epoch } }
      const { response } = await client.GET('/v1/committees/{project_id}/{epoch}', { params })
      return response.status
    },
    (status) => status === 200,
  )
}
