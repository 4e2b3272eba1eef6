import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { GaslessPayload } from '../../../protocol/actions/index.ts'
import { hashEvidence } from '../../../protocol/slashing/index.ts'
import hub from '../../index.ts'
import { bodyOf } from '../../test/answers.ts'
import { chain, finalizeRelays, mint, passTime, signedPayload } from '../../test/chain.ts'
import { client } from '../../test/client.ts'
import { accusationsOf, hubAction, publishConsensus } from '../../test/evidence.ts'
import { networkNow } from '../../test/network-time.ts'
import { createOperator } from '../../test/operator.ts'
import { createDescribedMiner, createListedProject, minCollateral } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

type Json = Record<string, unknown>

const windowSecs = 60
const graceSecs = 900

let operator: Awaited<ReturnType<typeof createOperator>>
let projectId: string
let consensusHash: string
beforeAll(async () => {
  if (chain === null) return
  operator = await createOperator()
  projectId = await createListedProject({ work: { dispute_window_secs: windowSecs } })
  consensusHash = await publishConsensus(projectId)
})

const jsonOf = async (response: Response | Promise<Response>) => await bodyOf<Json>(response)

/** A bonded miner whose two votes for one task were posted, and whose slash is proposed. */
async function createSlashed() {
  const { owner, device } = await createDescribedMiner()
  await mint(owner.address, 3n * minCollateral)
  const created = await owner.client.post('/v1/subscriptions', {
    project_id: projectId,
    node_id: device.nodeId,
    collateral: String(minCollateral),
  })
  const { subscription, bond } = (await created.json()) as {
    subscription: { subscription_id: string }
    bond: GaslessPayload
  }
  const subscriptionId = subscription.subscription_id
  const path = `/v1/subscriptions/${subscriptionId}`
  const addCollateral = async (payload: GaslessPayload) => {
    const response = await owner.client.post(`${path}/bond`, signedPayload(owner.key, payload))
    if (response.status !== 202) throw new Error(await response.text())
    await finalizeRelays()
  }
  await addCollateral(bond)
  const now = await networkNow()
  const evidence = accusationsOf({ projectId, consensusHash, device, subscriptionId, now }).equivocation()
  const hash = hashEvidence(evidence)
  expect((await client().post('/v1/slashes', evidence)).status).toBe(201)
  await finalizeRelays()
  return {
    owner,
    hash,
    addCollateral,
    topUp: async () =>
      addCollateral(
        (await jsonOf(
          owner.client.post(`${path}/bond-payload`, { amount: String(minCollateral) }),
        )) as unknown as GaslessPayload,
      ),
    slash: () => jsonOf(client().get(`/v1/slashes/${hash}`)),
    subscription: () => jsonOf(client().get(path)),
    collateral: () => jsonOf(owner.client.get('/v1/me/collateral')),
    dispute: async () => {
      const answer = await owner.client.post(`/v1/slashes/${hash}/disputes`, { reason: 'Not mine.' })
      expect(answer.status).toBe(201)
      await finalizeRelays()
    },
    resolve: async (decision: 'cancel' | 'uphold') => {
      const answer = await operator.client.post(`/admin/v1/slashes/${hash}/resolve`, { decision })
      expect(answer.status).toBe(200)
      await finalizeRelays()
    },
  }
}

/** Lets time pass on the chain, and the schedule of the hub run. */
async function pass(seconds: number): Promise<void> {
  await passTime(seconds)
  await runSql('UPDATE hub_actions SET next_attempt_at = 1')
  await hub.scheduled(createScheduledController(), env)
  await finalizeRelays()
}

describe.skipIf(chain === null)('a slash, on the contracts', () => {
  test('is disputed, upheld and executed; it jails, and topping up frees', async () => {
    const { slash, subscription, collateral, dispute, resolve, topUp, hash } = await createSlashed()
    expect(await slash()).toMatchObject({
      status: 'proposed',
      amount: String(minCollateral),
      propose_tx: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      executable_at: expect.any(Number),
      recovery: 'dispute',
    })
    expect(await subscription()).toMatchObject({ status: 'active', pending_slashes: 1 })
    await dispute()
    expect(await slash()).toMatchObject({
      status: 'disputed',
      dispute: { reason: 'Not mine.', outcome: null },
      recovery: 'wait',
    })
    expect(await hubAction('dispute_slash', hash)).toMatchObject({ lastError: null })
    await resolve('uphold')
    expect(await slash()).toMatchObject({
      status: 'proposed',
      dispute: { outcome: 'upheld', resolved_at: expect.any(Number) },
      recovery: 'wait',
    })
    await pass(windowSecs + graceSecs)
    expect(await slash()).toMatchObject({
      status: 'executed',
      taken: String(minCollateral),
      dispute: { outcome: 'upheld' },
      recovery: 'top_up',
    })
    expect(await subscription()).toMatchObject({
      status: 'jailed',
      collateral: '0',
      collateral_health: 'critical',
      pending_slashes: 0,
      slashed_total: String(minCollateral),
    })
    expect(await collateral()).toMatchObject({ bonded: '0', slashed_total: String(minCollateral) })
    await topUp()
    expect(await subscription()).toMatchObject({ status: 'active', collateral: String(minCollateral) })
    expect(await slash()).toMatchObject({ status: 'executed', recovery: 'none' })
  })

  test('is disputed and cancelled', async () => {
    const { slash, subscription, dispute, resolve } = await createSlashed()
    await dispute()
    await resolve('cancel')
    expect(await slash()).toMatchObject({
      status: 'cancelled',
      dispute: { outcome: 'cancelled', resolved_at: expect.any(Number) },
      taken: null,
      recovery: null,
    })
    expect(await subscription()).toMatchObject({
      status: 'active',
      collateral: String(minCollateral),
      pending_slashes: 0,
    })
  })

  test('is executed after the grace period, and not before', async () => {
    const { slash, hash } = await createSlashed()
    await pass(windowSecs)
    expect(await slash()).toMatchObject({ status: 'proposed', recovery: 'wait' })
    expect(await hubAction('execute_slash', hash)).toBeNull()
    await pass(graceSecs)
    expect(await slash()).toMatchObject({ status: 'executed', taken: String(minCollateral) })
  })

  test('is cancelled when nobody decides about its dispute', async () => {
    const { slash, dispute } = await createSlashed()
    await dispute()
    await pass(13 * 86_400)
    expect(await slash()).toMatchObject({ status: 'disputed' })
    await pass(86_400)
    expect(await slash()).toMatchObject({ status: 'cancelled', dispute: { outcome: 'cancelled' } })
  })
})
