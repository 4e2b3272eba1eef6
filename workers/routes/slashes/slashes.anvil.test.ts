import { beforeAll, describe, expect, test } from 'vitest'
import { hashEvidence } from '../../../protocol/slashing/index.ts'
import { createOperator, networkNow } from '../../test/callers.ts'
import { chain, finalizeRelays } from '../../test/chain.ts'
import { bodyOf, client } from '../../test/client.ts'
import { accusationsOf, hubAction, publishConsensus } from '../../test/evidence.ts'
import { createSubscribed, passSchedule } from '../../test/subscribed.ts'
import { createListedProject, minCollateral } from '../../test/subscription.ts'

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

/** A bonded miner whose two votes for one task were posted, and whose slash is proposed. */
async function createSlashed() {
  const { owner, device, id: subscriptionId, bond, ...subscribed } = await createSubscribed(projectId)
  await bond()
  const now = await networkNow()
  const evidence = accusationsOf({ projectId, consensusHash, device, subscriptionId, now }).equivocation()
  const hash = hashEvidence(evidence)
  expect((await client().post('/v1/slashes', evidence)).status).toBe(201)
  await finalizeRelays()
  return {
    hash,
    topUp: () => subscribed.topUp(minCollateral),
    slash: () => bodyOf(client().get(`/v1/slashes/${hash}`)),
    subscription: subscribed.read,
    collateral: subscribed.summary,
    dispute: async () => {
      expect((await owner.client.post(`/v1/slashes/${hash}/disputes`, { reason: 'Not mine.' })).status).toBe(
        201,
      )
      await finalizeRelays()
    },
    resolve: async (decision: 'cancel' | 'uphold') => {
      expect((await operator.client.post(`/admin/v1/slashes/${hash}/resolve`, { decision })).status).toBe(200)
      await finalizeRelays()
    },
  }
}

describe.skipIf(chain === null)('a slash, on the contracts', () => {
  test('is disputed, upheld and executed; it jails the subscription until a top-up', async () => {
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
    await passSchedule(windowSecs + graceSecs)
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

  test('is executed only after the grace period', async () => {
    const { slash, hash } = await createSlashed()
    await passSchedule(windowSecs)
    expect(await slash()).toMatchObject({ status: 'proposed', recovery: 'wait' })
    expect(await hubAction('execute_slash', hash)).toBeNull()
    await passSchedule(graceSecs)
    expect(await slash()).toMatchObject({ status: 'executed', taken: String(minCollateral) })
  })

  test('is cancelled if nobody decides its dispute', async () => {
    const { slash, dispute } = await createSlashed()
    await dispute()
    await passSchedule(13 * 86_400)
    expect(await slash()).toMatchObject({ status: 'disputed' })
    await passSchedule(86_400)
    expect(await slash()).toMatchObject({ status: 'cancelled', dispute: { outcome: 'cancelled' } })
  })
})
