import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { services } from '../../services.ts'
import { NewSubscriptionStore } from '../../stores/new-subscriptions.ts'
import { openSubscriptionsMax } from '../../stores/subscriptions.ts'
import { signIn } from '../../test/callers.ts'
import { bodyOf, client } from '../../test/client.ts'

/** Subscriptions of a wallet, every fourth of them without collateral, bonded, unbonding or withdrawable. */
const subscribe = (owner: string, count: number) =>
  env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO subscriptions (subscription_id, owner, project_id, node_id, node_key, closings, reputation,
        credited_rounds, missed_leases, disagreements, created_at)
      SELECT printf('0x%024x', i) || substr(?1, 3), ?1, printf('0x%064x', i), '0x', '0x', 0, 5000, 0, 0, 0, i FROM n`,
    ).bind(owner, count),
    env.DB.prepare(
      `INSERT INTO chain_states (kind, subject, owner, state, block_number)
      SELECT 'subscription', subscription_id, owner, json_object(
        'status', iif(created_at % 4 = 1, 'bonded', 'unbonding'), 'collateral', ?2 || created_at, 'payout', owner,
        'started_at', 1, 'release_at', iif(created_at % 4 = 3, 1, 9999999999), 'slashed_total', '100000000000000000001'), 1
      FROM subscriptions WHERE owner = ?1 AND created_at % 4 > 0`,
    ).bind(owner, '9'.repeat(70)),
  ])

test('collateral is summed exactly over all subscriptions of a wallet, and lists the newest 200', async () => {
  const { address, token } = await signIn()
  await subscribe(address, 1000)
  const { subscriptions, ...sums } = await bodyOf(client({ token }).get('/v1/me/collateral'))
  const sum = (rest: number) => {
    const amounts = Array.from({ length: 250 }, (_, n) => BigInt(`${'9'.repeat(70)}${4 * n + rest}`))
    return String(amounts.reduce((total, amount) => total + amount))
  }
  expect(sums).toEqual({
    bonded: sum(1),
    unbonding: sum(2),
    withdrawable: sum(3),
    slashed_total: String(750n * 100000000000000000001n),
    pending_slashes: 0,
    hub_balance: null,
  })
  expect(subscriptions).toHaveLength(200)
  expect(subscriptions[0]).toMatchObject({ status: 'pending_collateral', collateral: '0' })
})

test('a wallet may have a thousand open subscriptions, and racing calls cannot exceed that', async () => {
  const { address } = await signIn()
  await subscribe(address, openSubscriptionsMax - 1)
  const newSubscriptions = services(env).store(NewSubscriptionStore)
  const fresh = (id: string) => ({
    subscriptionId: `0x${id.repeat(64)}`,
    projectId: '0x',
    owner: address,
    nodeId: '0x',
    nodeKey: '0x',
    reputation: 5000,
  })
  const racers = await Promise.all(['a', 'b', 'c'].map((id) => newSubscriptions.create([fresh(id)], 1)))
  expect(racers.map(({ created }) => created.size).sort()).toEqual([0, 0, 1])
  expect(racers.every(({ isFull }) => isFull)).toBe(true)
})
