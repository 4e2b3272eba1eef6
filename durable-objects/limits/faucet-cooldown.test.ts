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

const sqlOn = (name: string, statement: string) =>
  runInDurableObject(object(name), (_, { storage }) => storage.sql.exec(statement).toArray())

const tablesOf = (name: string) => sqlOn(name, "SELECT name FROM sqlite_master WHERE name LIKE 'turns%'")

const alarmAt = (name: string) => runInDurableObject(object(name), (_, { storage }) => storage.getAlarm())

const confirmed = async (name: string, holder: string, turnsMax = 1) => {
  const turn = await granted(name, holder, turnsMax)
  await object(name).confirm(turn.turnId)
  return turn
}

describe('FaucetCooldown', () => {
  test('of parallel takers of one holder one gets the turn', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => object('parallel').take(ask('a'))))
    expect(results.filter(({ status }) => status === 'granted')).toHaveLength(1)
  })

  test('a confirmed turn blocks its holder until it expires, over an eviction too', async () => {
    const { turnId, nextEligibleAt } = await confirmed('confirmed', 'a')
    await evictDurableObject(object('confirmed'))
    const wait = { status: 'wait', nextEligibleAt, confirmedTurnId: turnId }
    expect(await object('confirmed').take(ask('a'))).toEqual(wait)
    await sqlOn('confirmed', 'UPDATE turns SET expires_at = 1')
    expect((await granted('confirmed', 'a')).turnId).not.toBe(turnId)
  })

  test('a turn that is released, or never confirmed, is the same turn when it is taken again', async () => {
    const { turnId } = await granted('released', 'a')
    await object('released').release(turnId)
    expect(await object('released').nextEligibleAt(ask('a'))).toBe(0)
    expect((await granted('released', 'a')).turnId).toBe(turnId)

    await sqlOn('released', 'UPDATE turns SET taken_at = taken_at - 61')
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
    const { turnId } = await confirmed('kept', 'a')
    await object('kept').release(turnId)
    expect(await object('kept').take(ask('a'))).toMatchObject({ status: 'wait' })
  })

  test('a forgotten turn makes room for one with another name', async () => {
    const { turnId } = await confirmed('forgotten', 'a')
    await object('forgotten').forget(turnId)
    expect((await granted('forgotten', 'a')).turnId).not.toBe(turnId)
  })

  test('as many holders as there are turns, and the next waits for the oldest', async () => {
    const { turnId, nextEligibleAt } = await confirmed('shared', 'a', 2)
    await confirmed('shared', 'b', 2)
    const wait = { status: 'wait', nextEligibleAt, confirmedTurnId: null }
    expect(await object('shared').take(ask('c', 2))).toEqual(wait)
    await object('shared').forget(turnId)
    await granted('shared', 'c', 2)
  })

  test('an early alarm forgets nothing, a late one clears what has expired', async () => {
    await confirmed('alarmed', 'a')
    expect(await runDurableObjectAlarm(object('alarmed'))).toBe(true)
    expect(await object('alarmed').take(ask('a'))).toMatchObject({ status: 'wait' })
    await sqlOn('alarmed', 'UPDATE turns SET expires_at = 1')
    expect(await alarmAt('alarmed')).not.toBeNull()
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
    const first = await granted('swept', 'a', 9)
    expect(await alarmAt('swept')).toBe(first.nextEligibleAt * 1000)
    await sqlOn('swept', 'UPDATE turns SET expires_at = expires_at - 100')
    await object('swept').take({ holder: 'b', turnsMax: 9, cooldownSeconds: 9_999 })
    expect(await alarmAt('swept')).toBe(first.nextEligibleAt * 1000)
    await runDurableObjectAlarm(object('swept'))
    expect(await alarmAt('swept')).toBe((first.nextEligibleAt - 100) * 1000)
  })
})
