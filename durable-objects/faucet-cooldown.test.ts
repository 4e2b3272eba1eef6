import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'

const ask = (holder: string, turnsMax = 1) => ({ holder, turnsMax, cooldownSeconds: 3_600 })
const object = (name: string) => env.FAUCET_COOLDOWN.getByName(name)

const granted = async (name: string, holder: string, turnsMax = 1) => {
  const result = await object(name).take(ask(holder, turnsMax))
  if (result.status !== 'granted') throw new Error(result.status)
  return result
}

describe('FaucetCooldown', () => {
  test('of parallel takers of one holder one gets the turn', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => object('parallel').take(ask('a'))))
    expect(results.filter(({ status }) => status === 'granted')).toHaveLength(1)
  })

  test('a settled turn blocks its holder until it expires, over an eviction too', async () => {
    const { turnId, nextEligibleAt } = await granted('settled', 'a')
    await object('settled').settle(turnId)
    await evictDurableObject(object('settled'))
    expect(await object('settled').take(ask('a'))).toEqual({
      status: 'wait',
      nextEligibleAt,
      settledTurnId: turnId,
    })
    await runInDurableObject(object('settled'), (_, state) =>
      state.storage.sql.exec('UPDATE turns SET expires_at = 1').toArray(),
    )
    expect((await granted('settled', 'a')).turnId).not.toBe(turnId)
  })

  test('a turn given back, or never settled, is the same turn when it is taken again', async () => {
    const { turnId } = await granted('back', 'a')
    await object('back').giveBack(turnId)
    expect(await object('back').nextEligibleAt(ask('a'))).toBe(0)
    expect((await granted('back', 'a')).turnId).toBe(turnId)

    await runInDurableObject(object('back'), (_, state) =>
      state.storage.sql.exec('UPDATE turns SET taken_at = taken_at - 61').toArray(),
    )
    expect((await granted('back', 'a')).turnId).toBe(turnId)
  })

  test('a turn that is taken and not settled is waited for until it is open again, not until it would have expired', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { nextEligibleAt } = await granted('pending', 'a')
    const wait = await object('pending').take(ask('a'))
    expect(wait).toEqual({ status: 'wait', nextEligibleAt: expect.any(Number), settledTurnId: null })
    const openAt = await object('pending').nextEligibleAt(ask('a'))
    expect(openAt).toBeGreaterThanOrEqual(now + 60)
    expect(openAt).toBeLessThan(nextEligibleAt - 3_000)
  })

  test('a settled turn cannot be given back', async () => {
    const { turnId } = await granted('kept', 'a')
    await object('kept').settle(turnId)
    await object('kept').giveBack(turnId)
    expect(await object('kept').take(ask('a'))).toMatchObject({ status: 'wait' })
  })

  test('a forgotten turn makes room for one with another name', async () => {
    const { turnId } = await granted('forgotten', 'a')
    await object('forgotten').settle(turnId)
    await object('forgotten').forget(turnId)
    expect((await granted('forgotten', 'a')).turnId).not.toBe(turnId)
  })

  test('as many holders as there are turns, and the next waits for the oldest', async () => {
    const first = await granted('shared', 'a', 2)
    const second = await granted('shared', 'b', 2)
    for (const { turnId } of [first, second]) await object('shared').settle(turnId)
    expect(await object('shared').take(ask('c', 2))).toEqual({
      status: 'wait',
      nextEligibleAt: first.nextEligibleAt,
      settledTurnId: null,
    })
    await object('shared').forget(first.turnId)
    await granted('shared', 'c', 2)
  })

  test('an early alarm forgets nothing, a late one clears what has expired', async () => {
    const { turnId } = await granted('alarmed', 'a')
    await object('alarmed').settle(turnId)
    expect(await runDurableObjectAlarm(object('alarmed'))).toBe(true)
    expect(await object('alarmed').take(ask('a'))).toMatchObject({ status: 'wait' })
    const rows = await runInDurableObject(object('alarmed'), (_, state) => {
      state.storage.sql.exec('UPDATE turns SET expires_at = 1').toArray()
      return state.storage.getAlarm()
    })
    expect(rows).not.toBeNull()
    await runDurableObjectAlarm(object('alarmed'))
    expect(
      await runInDurableObject(object('alarmed'), (_, state) => [
        ...state.storage.sql.exec('SELECT * FROM turns'),
      ]),
    ).toEqual([])
  })

  test('takes that never stop do not put the sweep off, which comes when the first turn expires', async () => {
    const alarmAt = () => runInDurableObject(object('swept'), (_, state) => state.storage.getAlarm())
    const first = await granted('swept', 'a', 9)
    expect(await alarmAt()).toBe(first.nextEligibleAt * 1000)
    await runInDurableObject(object('swept'), (_, state) =>
      state.storage.sql.exec('UPDATE turns SET expires_at = expires_at - 100').toArray(),
    )
    await object('swept').take({ holder: 'b', turnsMax: 9, cooldownSeconds: 9_999 })
    expect(await alarmAt()).toBe(first.nextEligibleAt * 1000)
    await runDurableObjectAlarm(object('swept'))
    expect(await alarmAt()).toBe((first.nextEligibleAt - 100) * 1000)
  })
})
