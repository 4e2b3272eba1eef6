import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { beaconTargetTime, epochStart } from '../../../protocol/committees/index.ts'
import { defaultNetworkParams, deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import { services } from '../../services.ts'
import { NewSubscriptionStore } from '../../stores/new-subscriptions.ts'
import { bodyOf, client } from '../../test/client.ts'
import { indexState } from '../../test/epochs.ts'
import { createDescribedMiner, createListedProject } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

const epochSecs = 3_600

async function bondedAt(startedAt: number) {
  const miner = await createDescribedMiner()
  const { nodeId, publicKey } = miner.device
  const slug = `work-${startedAt}`
  const projectId = await createListedProject({ slug, work: { epoch_secs: epochSecs } })
  const subscriptionId = deriveSubscriptionId(projectId, miner.owner.address, publicKey)
  const newSubscriptions = services(env).store(NewSubscriptionStore)
  await newSubscriptions.create(
    [{ subscriptionId, projectId, owner: miner.owner.address, nodeId, nodeKey: publicKey, reputation: 1 }],
    1,
  )
  const read = () => bodyOf(client().get(`/v1/devices/${nodeId}/work`))
  const index = (change: object = {}) =>
    indexState('subscription', subscriptionId, {
      status: 'bonded',
      collateral: '7000000000000000000',
      payout: miner.owner.address,
      started_at: startedAt,
      release_at: null,
      ...change,
    })
  return { miner, projectId, subscriptionId, slug, read, index }
}

test('shows the projects that a device works for, with bonded, slashed and earned amounts', async () => {
  const { miner, projectId, subscriptionId, slug, read, index } = await bondedAt(epochStart(10, epochSecs))
  expect((await read()).subscriptions).toMatchObject([{ status: 'pending_collateral', works_from: null }])
  await index({ slashed_total: '5' })
  await runSql(
    'INSERT INTO project_miners VALUES (?, ?, 1, 1, ?, 1, 1)',
    projectId,
    miner.owner.address,
    '42',
  )
  expect(await read()).toEqual({
    node_id: miner.device.nodeId,
    subscriptions: [
      {
        subscription_id: subscriptionId,
        project_id: projectId,
        slug,
        token: expect.objectContaining({ decimals: 18 }),
        owner: miner.owner.address,
        payout_address: miner.owner.address,
        status: 'active',
        collateral: '7000000000000000000',
        collateral_health: 'warning',
        pending_slashes: 0,
        slashed_total: '5',
        release_at: null,
        earned: '42',
        works_from: epochStart(11, epochSecs),
      },
    ],
  })
  await index({ status: 'unbonding', release_at: 2_000_000_000_000 })
  expect((await read()).subscriptions).toMatchObject([{ status: 'unbonding', works_from: null }])
})

test('work starts in the first epoch whose beacon follows the bond', async () => {
  const beacon = beaconTargetTime(21, epochSecs, defaultNetworkParams)
  for (const [startedAt, epoch] of [
    [beacon - 1, 21],
    [beacon, 22],
  ] as const) {
    const { read, index } = await bondedAt(startedAt)
    await index()
    expect((await read()).subscriptions).toMatchObject([{ works_from: epochStart(epoch, epochSecs) }])
  }
})

test('the collateral of an unbound device is still shown, and it gets no work', async () => {
  const { miner, read, index } = await bondedAt(epochStart(30, epochSecs))
  await index()
  await runSql('UPDATE devices SET unbound_at = 1 WHERE node_id = ?', miner.device.nodeId)
  expect((await read()).subscriptions).toMatchObject([
    { status: 'active', collateral: '7000000000000000000', works_from: null },
  ])
})
