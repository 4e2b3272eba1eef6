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

/** Tables of the object's own. */
const tablesOf = (name: string) =>
  runInDurableObject(object(name), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'turns%'").toArray(),
  )

describe('FaucetCooldown', () => {
  test('of parallel takers of one holder one gets the turn', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => object('parallel').take(ask('a'))))
    expect(results.filter(({ status }) => status === 'granted')).toHaveLength(1)
  })

  test('a confirmed turn blocks its holder until it expires, over an eviction too', async () => {
    const { turnId, nextEligibleAt } = await granted('confirmed', 'a')
    await object('confirmed').confirm(turnId)
    await evictDurableObject(object('confirmed'))
    expect(await object('confirmed').take(ask('a'))).toEqual({
      status: 'wait',
      nextEligibleAt,
      confirmedTurnId: turnId,
    })
    await runInDurableObject(object('confirmed'), (_, state) =>
      state.storage.sql.exec('UPDATE turns SET expires_at = 1').toArray(),
    )
    expect((await granted('confirmed', 'a')).turnId).not.toBe(turnId)
  })

  test('a turn that is released, or never confirmed, is the same turn when it is taken again', async () => {
    const { turnId } = await granted('released', 'a')
    await object('released').release(turnId)
    expect(await object('released').nextEligibleAt(ask('a'))).toBe(0)
    expect((await granted('released', 'a')).turnId).toBe(turnId)

    await runInDurableObject(object('released'), (_, state) =>
      state.storage.sql.exec('UPDATE turns SET taken_at = taken_at - 61').toArray(),
    )
    expect((await granted('released', 'a')).turnId).toBe(turnId)
  })

  test('a turn that is taken and not confirmed is waited for until it is open again, not until it would have expired', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { nextEligibleAt } = await granted('pending', 'a')
    const wait = await object('pending').take(ask('a'))
    expect(wait).toEqual({ status: 'wait', nextEligibleAt: expect.any(Number), confirmedTurnId: null })
    const openAt = await object('pending').nextEligibleAt(ask('a'))
    expect(openAt).toBeGreaterThanOrEqual(now + 60)
    expect(openAt).toBeLessThan(nextEligibleAt - 3_000)
  })

  test('a confirmed turn cannot be released', async () => {
    const { turnId } = await granted('kept', 'a')
    await object('kept').confirm(turnId)
    await object('kept').release(turnId)
    expect(await object('kept').take(ask('a'))).toMatchObject({ status: 'wait' })
  })

  test('a forgotten turn makes room for one with another name', async () => {
    const { turnId } = await granted('forgotten', 'a')
    await object('forgotten').confirm(turnId)
    await object('forgotten').forget(turnId)
    expect((await granted('forgotten', 'a')).turnId).not.toBe(turnId)
  })

  test('as many holders as there are turns, and the next waits for the oldest', async () => {
    const first = await granted('shared', 'a', 2)
    const second = await granted('shared', 'b', 2)
    for (const { turnId } of [first, second]) await object('shared').confirm(turnId)
    expect(await object('shared').take(ask('c', 2))).toEqual({
      status: 'wait',
      nextEligibleAt: first.nextEligibleAt,
      confirmedTurnId: null,
    })
    await object('shared').forget(first.turnId)
    await granted('shared', 'c', 2)
  })

  test('an early alarm forgets nothing, a late one clears what has expired', async () => {
    const { turnId } = await granted('alarmed', 'a')
    await object('alarmed').confirm(turnId)
    expect(await runDurableObjectAlarm(object('alarmed'))).toBe(true)
    expect(await object('alarmed').take(ask('a'))).toMatchObject({ status: 'wait' })
    const rows = await runInDurableObject(object('alarmed'), (_, state) => {
      state.storage.sql.exec('UPDATE turns SET expires_at = 1').toArray()
      return state.storage.getAlarm()
    })
    expect(rows).not.toBeNull()
    await runDurableObjectAlarm(object('alarmed'))
    expect(await tablesOf('alarmed')).toEqual([])
    expect(await object('alarmed').take(ask('b'))).toMatchObject({ status: 'granted' })
  })

  test('asking leaves nothing behind where no turn was ever taken', async () => {
    expect(await object('asked').nextEligibleAt(ask('a'))).toBe(0)
    await object('asked').confirm('unknown')
    await object('asked').release('unknown')
    expect(await object('asked').forget('unknown')).toBe(false)
    expect(await tablesOf('asked')).toEqual([])
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
