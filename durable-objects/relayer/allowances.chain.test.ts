import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { relayRequest as action } from '../testing/relay-request.ts'
import { chain, relayer, sqlOn, useRelayer, withRelayer } from '../testing/relayer-object.ts'
import type { RelayRequest } from './types.ts'

useRelayer()

describe('the daily limit of relayed actions of a wallet', () => {
  const day = 86_400_000
  const today = Date.now()
  const owner = `0x${'0c'.repeat(20)}`
  const payout = (over: Partial<RelayRequest> = {}) =>
    action({ action: 'set_payout', owner, perDay: 3, ...over })
  const statuses = (results: { status: string }[]) => results.map(({ status }) => status).sort()

  test('accepts as many of 20 parallel actions as the limit allows, and tells the others when to try again', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => relayer.accept(payout())))
    expect(statuses(results)).toEqual([...Array(3).fill('accepted'), ...Array(17).fill('exhausted')])
    expect(results.filter(({ status }) => status === 'exhausted')).toContainEqual({
      status: 'exhausted',
      of: 'owner',
      renewsAt: (Math.floor(today / day) + 1) * 86_400,
    })
    await evictDurableObject(relayer)
    expect(await relayer.accept(payout())).toMatchObject({ status: 'exhausted' })
  })

  test('does not count the same action again, or an action that is refused', async () => {
    chain.revert = '0xdeadbeef'
    for (let times = 0; times < 4; times++)
      expect(await relayer.accept(payout())).toMatchObject({ status: 'refused' })
    chain.revert = null
    const accepted = [payout(), payout(), payout()]
    for (const request of [...accepted, ...accepted])
      expect(await relayer.accept(request)).toMatchObject({ status: 'accepted', relay: { id: request.id } })
    expect(await relayer.accept(payout())).toMatchObject({ status: 'exhausted' })
    for (const request of accepted)
      expect(await relayer.accept(request)).toMatchObject({ status: 'accepted', relay: { id: request.id } })
  })

  test('is counted for each wallet and kind of action, and starts from zero each day', async () => {
    for (let times = 0; times < 3; times++) await relayer.accept(payout())
    expect(await relayer.accept(payout())).toMatchObject({ status: 'exhausted' })
    expect(await relayer.accept(payout({ action: 'unbond' }))).toMatchObject({ status: 'accepted' })
    const other = payout({ owner: `0x${'0d'.repeat(20)}` })
    expect(await relayer.accept(other)).toMatchObject({ status: 'accepted' })
    await sqlOn(relayer, 'UPDATE relays SET accepted_at_ms = accepted_at_ms - ?', day)
    expect(await relayer.accept(payout())).toMatchObject({ status: 'accepted' })
  })

  test('is also bounded by a share of the gas, which leaves the rest to other wallets', async () => {
    chain.gas = 400_000
    const other = `0x${'0e'.repeat(20)}`
    const shares = { gasPerDay: 5_000_000, gasPerOwner: 1_000_000 }
    await withRelayer(shares, async (sharing, state) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, () => sharing.accept(payout({ action: 'register_project', perDay: 20 }))),
      )
      expect(statuses(results)).toEqual([...Array(2).fill('accepted'), ...Array(18).fill('exhausted')])
      // The gas of an owner counts for all kinds of actions together.
      expect(await sharing.accept(payout())).toMatchObject({ status: 'exhausted', of: 'owner_gas' })
      expect(await sharing.accept(payout({ owner: other }))).toMatchObject({ status: 'accepted' })
      expect(await sharing.accept(action({ owner }))).toMatchObject({ status: 'accepted' })
      expect(await sharing.health()).toMatchObject({ status: 'ok', gasToday: 1_500_000 })
      state.storage.sql.exec('UPDATE owner_gas SET day = day - 1').toArray()
      expect(await sharing.accept(payout())).toMatchObject({ status: 'accepted' })
      expect(state.storage.sql.exec('SELECT owner FROM owner_gas').toArray()).toEqual([{ owner }])
    })
  })

  test('ends for all wallets when the gas of the day is used up, but actions of the hub itself still pass', async () => {
    chain.gas = 400_000
    const others = (index: number) => payout({ owner: `0x${index.toString(16).padStart(40, '0')}` })
    await withRelayer({ gasPerDay: 1_000_000 }, async (thrifty) => {
      expect(await thrifty.health()).toMatchObject({ status: 'ok' })
      const results = await Promise.all([1, 2, 3, 4].map((index) => thrifty.accept(others(index))))
      expect(statuses(results)).toEqual(['accepted', 'accepted', 'exhausted', 'exhausted'])
      expect(await thrifty.accept(others(5))).toMatchObject({ status: 'exhausted', of: 'everyone' })
      expect(await thrifty.accept(action())).toMatchObject({ status: 'accepted' })
      const used = { status: 'unavailable', gasToday: 1_000_000, gasPerDay: 1_000_000 }
      expect(await thrifty.health()).toMatchObject(used)
    })
  })
})
