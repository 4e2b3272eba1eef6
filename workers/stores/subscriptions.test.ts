import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { services } from '../services.ts'
import { bodyOf, client } from '../test/client.ts'
import {
  createDescribedMiner,
  createListedProject,
  minCollateral,
  suitableProfile,
} from '../test/subscription.ts'
import { runSql } from '../test/tables.ts'
import { NewSubscriptionStore } from './new-subscriptions.ts'

type Miner = Awaited<ReturnType<typeof createDescribedMiner>>

const projectId = await createListedProject()

let ids = 0
/** A subscription of the device, and what the chain says of it when the record begins. */
async function subscribe({ owner, device }: Miner, status?: string, project = projectId) {
  ids += 1
  const subscriptionId = `0x${ids.toString(16).padStart(64, '0')}`
  if (status !== undefined)
    await runSql(
      "INSERT INTO chain_states (kind, subject, state, owner, block_number) VALUES ('subscription', ?, ?, ?, 1)",
      subscriptionId,
      JSON.stringify({ status, closings: 0 }),
      owner.address,
    )
  const { nodeId, publicKey: nodeKey } = device
  const fresh = {
    subscriptionId,
    projectId: project,
    owner: owner.address,
    nodeId,
    nodeKey,
    reputation: 5_000,
  }
  const newSubscriptions = services(env).store(NewSubscriptionStore)
  const { created } = await newSubscriptions.create([fresh], 1)
  expect([...created]).toEqual([subscriptionId])
  return subscriptionId
}

const find = async (subscriptionId: string) => services(env).subscriptions.find(subscriptionId)
const classes = async (project: string) => {
  const { stats, miners } = await bodyOf<{
    stats: { devices_by_class: Record<string, number> }
    miners: number
  }>(client().get(`/v1/projects/${project}`))
  return [miners, stats.devices_by_class]
}
const describeAs = ({ device }: Miner, name: string) =>
  device.call('PUT', `/v1/devices/${device.nodeId}/profile`, { ...suitableProfile, class: name })

describe('the row of a subscription', () => {
  test('follows the minimum collateral of its project', async () => {
    const subscription = await subscribe(await createDescribedMiner())
    expect(await find(subscription)).toMatchObject({ minCollateral: String(minCollateral) })
    await runSql("UPDATE projects SET min_collateral = '9' WHERE project_id = ?", projectId)
    expect(await find(subscription)).toMatchObject({ minCollateral: '9' })
  })

  test('follows whether its device is bound to its owner', async () => {
    const miner = await createDescribedMiner()
    const subscription = await subscribe(miner)
    const set = (owner: string, unboundAt: number | null) =>
      runSql(
        'UPDATE devices SET owner = ?, unbound_at = ? WHERE node_id = ?',
        owner,
        unboundAt,
        miner.device.nodeId,
      )
    const { address } = miner.owner
    const seen = [(await find(subscription))?.deviceBound]
    for (const [owner, unboundAt] of [
      [address, 5],
      [`0x${'0e'.repeat(20)}`, null],
      [address, null],
    ] as const) {
      await set(owner, unboundAt)
      seen.push((await find(subscription))?.deviceBound)
    }
    expect(seen).toEqual([true, false, false, true])
  })
})

describe('the devices of a project by class', () => {
  test('a subscription that was bonded before its record exists counts once the record exists', async () => {
    const project = await createListedProject()
    const miner = await createDescribedMiner()
    await subscribe(miner, undefined, project)
    expect(await classes(project)).toEqual([0, {}])
    await subscribe(miner, 'bonded', project)
    expect(await classes(project)).toEqual([1, { desktop: 1 }])
  })

  test('a device that changes its class moves in every project it is bonded to, and in no other', async () => {
    const [both, one, none] = [
      await createListedProject(),
      await createListedProject(),
      await createListedProject(),
    ]
    const [mover, other] = [await createDescribedMiner(), await createDescribedMiner()]
    for (const miner of [mover, other]) await subscribe(miner, 'bonded', both)
    await subscribe(mover, 'bonded', one)
    await subscribe(mover, 'unbonding', none)
    await describeAs(mover, 'server')
    expect([await classes(both), await classes(one), await classes(none)]).toEqual([
      [2, { desktop: 1, server: 1 }],
      [1, { server: 1 }],
      [0, {}],
    ])
    await describeAs(mover, 'server')
    await describeAs(other, 'server')
    expect(await classes(both)).toEqual([2, { server: 2 }])
    await runSql('UPDATE devices SET class = NULL WHERE node_id = ?', mover.device.nodeId)
    expect(await classes(both)).toEqual([2, { server: 1, unknown: 1 }])
  })
})
