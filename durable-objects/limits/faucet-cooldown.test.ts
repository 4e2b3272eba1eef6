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
  test('if one holder takes a turn many times in parallel, one call gets it', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => object('parallel').take(ask('a'))))
    expect(results.filter(({ status }) => status === 'granted')).toHaveLength(1)
  })

  test('a confirmed turn blocks its holder until it expires, also after an eviction', async () => {
    const { turnId, nextEligibleAt } = await confirmed('confirmed', 'a')
    await evictDurableObject(object('confirmed'))
    const wait = { status: 'wait', nextEligibleAt, confirmedTurnId: turnId }
    expect(await object('confirmed').take(ask('a'))).toEqual(wait)
    await sqlOn('confirmed', 'UPDATE turns SET expires_at = 1')
    expect((await granted('confirmed', 'a')).turnId).not.toBe(turnId)
  })

  test('a turn that is released, or never confirmed, is the same turn when the holder takes it again', async () => {
    const { turnId } = await granted('released', 'a')
    await object('released').release(turnId)
    expect(await object('released').nextEligibleAt(ask('a'))).toBe(0)
    expect((await granted('released', 'a')).turnId).toBe(turnId)

    await sqlOn('released', 'UPDATE turns SET taken_at = taken_at - 61')
    expect((await granted('released', 'a')).turnId).toBe(turnId)
  })

  test('while a turn is not confirmed, others wait until its confirmation is overdue, not until the turn would expire', async () => {
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

  test('after a turn is forgotten, the next turn has a different id', async () => {
    const { turnId } = await confirmed('forgotten', 'a')
    await object('forgotten').forget(turnId)
    expect((await granted('forgotten', 'a')).turnId).not.toBe(turnId)
  })

  test('as many holders get a turn as there are turns, and the next one waits for the oldest turn', async () => {
    const { turnId, nextEligibleAt } = await confirmed('shared', 'a', 2)
    await confirmed('shared', 'b', 2)
    const wait = { status: 'wait', nextEligibleAt, confirmedTurnId: null }
    expect(await object('shared').take(ask('c', 2))).toEqual(wait)
    await object('shared').forget(turnId)
    await granted('shared', 'c', 2)
  })

  test('an alarm that fires early deletes nothing, and a late one deletes what has expired', async () => {
    await confirmed('alarmed', 'a')
    expect(await runDurableObjectAlarm(object('alarmed'))).toBe(true)
    expect(await object('alarmed').take(ask('a'))).toMatchObject({ status: 'wait' })
    await sqlOn('alarmed', 'UPDATE turns SET expires_at = 1')
    expect(await alarmAt('alarmed')).not.toBeNull()
    await runDurableObjectAlarm(object('alarmed'))
    expect(await tablesOf('alarmed')).toEqual([])
    expect(await object('alarmed').take(ask('b'))).toMatchObject({ status: 'granted' })
  })

  test('a question about turns stores nothing if no turn was ever taken', async () => {
    expect(await object('asked').nextEligibleAt(ask('a'))).toBe(0)
    await object('asked').confirm('unknown')
    await object('asked').release('unknown')
    expect(await object('asked').forget('unknown')).toBe(false)
    expect(await tablesOf('asked')).toEqual([])
  })

  test('constant new turns do not delay the clean-up, which runs when the first turn expires', async () => {
    const first = await granted('swept', 'a', 9)
    expect(await alarmAt('swept')).toBe(first.nextEligibleAt * 1000)
    await sqlOn('swept', 'UPDATE turns SET expires_at = expires_at - 100')
    await object('swept').take({ holder: 'b', turnsMax: 9, cooldownSeconds: 9_999 })
    expect(await alarmAt('swept')).toBe(first.nextEligibleAt * 1000)
    await runDurableObjectAlarm(object('swept'))
    expect(await alarmAt('swept')).toBe((first.nextEligibleAt - 100) * 1000)
  })
})
