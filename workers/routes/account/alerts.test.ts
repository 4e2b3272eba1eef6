import { expect, test } from 'vitest'
import { createMiner, networkNow } from '../../test/callers.ts'
import { client, expectRefusal, itemsOf } from '../../test/client.ts'
import { bonded, createSubscribed, indexState } from '../../test/evidence.ts'
import { createListedProject, minCollateral } from '../../test/subscription.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'
import { evidenceExample } from '../slashes/schema.ts'

interface Alert {
  id: string
  type: string
  severity: string
  created_at: number
}

async function createWorking(projectId: string, collateral = 2n * minCollateral) {
  const subscribed = await createSubscribed(projectId)
  const { owner, device, subscriptionId } = subscribed
  await indexState('subscription', subscriptionId, bonded(collateral, owner.address))
  await runSql("UPDATE devices SET link_state = 'online' WHERE node_id = ?", device.nodeId)
  const set = (table: 'devices' | 'subscriptions', columns: string) =>
    runSql(`UPDATE ${table} SET ${columns} WHERE node_id = ?`, device.nodeId)
  const alerts = () => itemsOf<Alert>(owner.client.get('/v1/me/alerts'))
  return { ...subscribed, set, alerts, types: async () => (await alerts()).map(({ type }) => type) }
}

test('a healthy device raises no alert; each fault raises one', async () => {
  const projectId = await createListedProject()
  const { set, types, alerts, device, subscriptionId } = await createWorking(projectId)
  expect(await types()).toEqual([])
  await set('devices', "link_state = 'offline', link_state_at = 77")
  expect(await alerts()).toMatchObject([
    { id: `offline:${device.nodeId}`, severity: 'warning', created_at: 77, node_id: device.nodeId },
  ])
  await set(
    'devices',
    "link_state = 'online', miner_version = '0.9.9', vote_fault_at = 5, profile_updated_at = 6",
  )
  expect(await types()).toEqual(['update_required', 'proof_failure'])
  await set('devices', "miner_version = '1.0.0', vote_fault_at = NULL, benchmark_fault_at = 8")
  expect(await alerts()).toMatchObject([{ id: `benchmark:${device.nodeId}`, type: 'proof_failure' }])
  await set('devices', "banned_at = 9, ban_reason = 'Spam.'")
  expect(await alerts()).toMatchObject([
    { type: 'offline', severity: 'critical', message: 'An operator banned the device: Spam.', created_at: 9 },
  ])
  await set('devices', 'unbound_at = 10')
  expect(await alerts()).toMatchObject([{ id: `unbound:${device.nodeId}`, created_at: 10 }])
  await set('devices', 'unbound_at = NULL, banned_at = NULL, benchmark_fault_at = NULL')
  const today = Math.floor((await networkNow()) / 86_400)
  await set('subscriptions', `days = '{"${today}":[3,1,2],"${today - 5}":[0,0,9]}'`)
  expect(await alerts()).toMatchObject([
    {
      id: `missed_leases:${subscriptionId}`,
      message: 'Since yesterday, the device missed 1 of the 2 tasks that it was drawn for.',
    },
  ])
  await set('subscriptions', "days = '{}'")
  for (const status of ['paused', 'underfunded'] as const) {
    await setListingStatus(projectId, status)
    expect(await types()).toEqual(['project_paused'])
  }
})

test('low, slashed or endangered collateral raises an alert', async () => {
  const projectId = await createListedProject()
  const { owner, device, subscriptionId, types, alerts } = await createWorking(projectId, minCollateral)
  expect(await alerts()).toMatchObject([{ type: 'low_collateral', severity: 'warning' }])
  await indexState('subscription', subscriptionId, {
    ...bonded(1n, owner.address),
    slash_lows: [{ at: 9, left: '1' }],
  })
  expect(await alerts()).toMatchObject([{ type: 'jailed', severity: 'critical', created_at: 9 }])
  const slash = `0x${'5c'.repeat(32)}`
  await runSql(
    `INSERT INTO slashes (evidence_hash, offence_id, kind, project_id, round_id, subscription_id, owner, node_id, bp, amount,
      evidence, status, created_at) VALUES (?, ?1, 'equivocation', ?, '', ?, ?, ?, 1, '1', ?, 'recorded', 100)`,
    ...[slash, projectId, subscriptionId, owner.address, device.nodeId, JSON.stringify(evidenceExample)],
  )
  expect((await alerts()).map(({ id }) => id)).toEqual([`slashing:${slash}`, `jailed:${subscriptionId}`])
  await runSql("UPDATE slashes SET status = 'cancelled' WHERE evidence_hash = ?", slash)
  expect(await types()).toEqual(['jailed'])
  expect(await itemsOf((await createMiner()).owner.client.get('/v1/me/alerts'))).toEqual([])
  await expectRefusal(client().get('/v1/me/alerts'), '401 unauthorized')
})
