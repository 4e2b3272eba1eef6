import type { GaslessPayload } from '../../protocol/actions/index.ts'
import { finalizeRelays, mint, passTime, signedPayload } from './chain.ts'
import { bodyOf, client, runSchedule } from './client.ts'
import { createDescribedMiner, minCollateral } from './subscription.ts'
import { runSql } from './tables.ts'

type Json = Record<string, unknown>
interface Created {
  subscription: { subscription_id: string; status: string }
  bond: GaslessPayload
  compatibility: Json
}

/** A miner with tokens on the chain of this run, subscribed and not bonded. */
export async function createSubscribed(projectId: string, change: Json = {}) {
  const miner = await createDescribedMiner()
  const { owner, device } = miner
  await mint(owner.address, 3n * minCollateral)
  const input = { project_id: projectId, node_id: device.nodeId, collateral: String(minCollateral) }
  const create = () => owner.client.post('/v1/subscriptions', { ...input, ...change })
  const response = await create()
  if (response.status !== 201) throw new Error(await response.text())
  const created = await bodyOf<Created>(response)
  const id = created.subscription.subscription_id
  const path = `/v1/subscriptions/${id}`
  const call = (name: string, body?: unknown) => owner.client.post(`${path}/${name}`, body)
  const bond = async (payload = created.bond) => finish(await call('bond', signedPayload(owner.key, payload)))
  return {
    ...miner,
    id,
    created,
    create,
    call,
    bond,
    topUp: async (amount: bigint) => bond(await bodyOf(call('bond-payload', { amount: String(amount) }))),
    read: () => bodyOf<Json>(client().get(path)),
    summary: () => bodyOf<Json>(owner.client.get('/v1/me/collateral')),
    /** Signs what the first step answers, posts it, and lets it become final. */
    act: async (name: string, request?: unknown) => {
      const payload = await bodyOf<GaslessPayload>(call(name, request))
      return finish(await call(name, signedPayload(owner.key, payload)))
    },
  }
}

/** Lets what was relayed become final. @returns The transaction. */
async function finish(response: Response): Promise<Json> {
  if (response.status !== 202) throw new Error(await response.text())
  const { id } = await bodyOf(response)
  await finalizeRelays()
  return bodyOf(client().get(`/v1/transactions/${id}`))
}

/** Lets time pass on the chain, and the schedule of the hub run. */
export async function passSchedule(seconds: number): Promise<void> {
  await passTime(seconds)
  await runSql('UPDATE hub_actions SET next_attempt_at = 1')
  await runSchedule()
  await finalizeRelays()
}
