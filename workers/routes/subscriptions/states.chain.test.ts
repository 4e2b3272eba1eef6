import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { allowsCall, type SubscriptionCall, type SubscriptionState } from '../../../protocol/actions/index.ts'
import { createOwner } from '../../test/callers.ts'
import { bodyOf, client, errorOf, expectRefusal } from '../../test/client.ts'
import { createSubscribed } from '../../test/evidence.ts'
import { createListedProject, minCollateral } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

type Json = Record<string, unknown>

const chain = new FakeChain()
beforeEach(() => {
  chain.install()
})

/** Every state, as the chain and the hub's row say it. */
const states: Record<SubscriptionState, { chain: Json | null; pausedAt?: number }> = {
  pending_collateral: { chain: null },
  active: { chain: { status: 'bonded', collateral: String(minCollateral) } },
  paused: { chain: { status: 'bonded', collateral: String(minCollateral) }, pausedAt: 5 },
  jailed: { chain: { status: 'bonded', collateral: '1', slash_lows: [{ at: 3, left: '1' }] } },
  unbonding: { chain: { status: 'unbonding', collateral: '9', release_at: 99_999_999_999 } },
  withdrawable: { chain: { status: 'unbonding', collateral: '9', release_at: 4 } },
  closed: { chain: { status: 'closed', collateral: '0', closings: 1 } },
}
const calls: Record<string, SubscriptionCall> = {
  'bond-payload': 'bond',
  bond: 'bond',
  payout: 'payout',
  unbond: 'unbond',
  withdraw: 'withdraw',
  pause: 'pause',
  resume: 'resume',
}

describe('the state is checked first', () => {
  let owner: Awaited<ReturnType<typeof createSubscribed>>['owner']
  let id: string
  let stranger: Awaited<ReturnType<typeof createOwner>>
  beforeAll(async () => {
    ;({ owner, subscriptionId: id } = await createSubscribed(await createListedProject()))
    stranger = await createOwner()
  })
  const call = (name: string, body?: unknown, by = owner) =>
    by.client.post(`/v1/subscriptions/${id}/${name}`, body)
  const read = () => bodyOf<Json>(client().get(`/v1/subscriptions/${id}`))

  const put = async ({ chain: said, pausedAt }: (typeof states)[SubscriptionState]) => {
    await env.DB.batch([
      env.DB.prepare("DELETE FROM chain_states WHERE kind = 'subscription' AND subject = ?").bind(id),
      env.DB.prepare('UPDATE subscriptions SET paused_at = ? WHERE subscription_id = ?').bind(
        pausedAt ?? null,
        id,
      ),
      ...(said
        ? [
            env.DB.prepare(
              "INSERT INTO chain_states (kind, subject, state, owner, block_number) VALUES ('subscription', ?, ?, ?, 1)",
            ).bind(
              id,
              JSON.stringify({ payout: owner.address, started_at: 1, release_at: null, ...said }),
              owner.address,
            ),
          ]
        : []),
    ])
  }

  const cases = Object.keys(states).flatMap((state) =>
    Object.keys(calls).map((name) => [state, name] as const),
  )
  test.each(cases)('%s, %s', async (state, name) => {
    const wanted = state as SubscriptionState
    await put(states[wanted])
    expect(await read()).toMatchObject({ status: wanted })
    const standing = { status: wanted, release_at: null, pending_slashes: 0 }
    const allowed = allowsCall(standing, calls[name] as SubscriptionCall, 0)
    const unsigned = await call(name)
    const nonsense = await call(name, { nonsense: 1 })
    const foreign = await call(name, { nonsense: 1 }, stranger)
    if (allowed) {
      expect(unsigned.status).toBe({ 'bond-payload': 400, bond: 400, payout: 400 }[name] ?? 200)
      if (name !== 'pause' && name !== 'resume') expect(nonsense.status).toBe(400)
      if (name !== 'pause' && name !== 'resume')
        expect(await errorOf(foreign)).toMatchObject({ error: 'not_owner' })
    } else
      for (const response of name === 'pause' || name === 'resume'
        ? [unsigned]
        : [unsigned, nonsense, foreign])
        await expectRefusal(response, '409 invalid_state', { details: { status: wanted } })
  })

  test('a pending slash holds the collateral', async () => {
    await put(states.withdrawable)
    const slash = { subscription_id: id, status: 'proposed', amount: '1' }
    await runSql(
      "INSERT INTO chain_states (kind, subject, state, block_number) VALUES ('slash', '0x5a', ?, 1)",
      JSON.stringify(slash),
    )
    expect(await read()).toMatchObject({ pending_slashes: 1 })
    await expectRefusal(call('withdraw'), '409 invalid_state', { details: { pending_slashes: 1 } })
    await runSql(
      "UPDATE chain_states SET state = json_set(state, '$.status', 'cancelled') WHERE subject = '0x5a'",
    )
    expect((await call('withdraw')).status).toBe(200)
  })
})

describe('reading', () => {
  test('404 not_found: an unknown subscription, for every call; a malformed id is 400 for writes', async () => {
    const owner = await createOwner()
    const id = `0x${'00'.repeat(32)}`
    expect((await client().get(`/v1/subscriptions/${id}`)).status).toBe(404)
    expect((await client().get('/v1/subscriptions/x')).status).toBe(404)
    for (const name of Object.keys(calls)) {
      await expectRefusal(owner.client.post(`/v1/subscriptions/${id}/${name}`), '404 not_found')
      await expectRefusal(owner.client.post(`/v1/subscriptions/x/${name}`), '400 invalid_field')
    }
  })
})
