import { describe, expect, test, vi } from 'vitest'
import { cloudflareLimits } from '../localnet/inside/limits.ts'
import { startLocalServer } from './local-server.ts'
import { atEnd, shared } from './node/shared.ts'
import { startProbe } from './platform-probe.ts'

async function probeUnder(limits: Parameters<typeof startProbe>[0]) {
  const probe = await startProbe(limits)
  atEnd(probe.stop)
  return probe
}

describe('the platform', () => {
  const { connections, valueBytes } = cloudflareLimits
  /** Under limits of which each meets one of the tests. */
  const limited = shared(() =>
    probeUnder({
      ...{ connections, valueBytes, fileMs: [40, 40], callMs: [40, 40] },
      ...{ alarmLate: 1, alarmLateMs: [300, 300], alarmTwice: 1, messageTwice: 1 },
    }),
  )
  const evicting = shared(() => probeUnder({ evicted: 1 }))

  test('opens six connections of an invocation, and the seventh once one of them is answered', async () => {
    const waiting: (() => void)[] = []
    const server = await startLocalServer(async ({ url }, response) => {
      const answer = () => response.end(url)
      if (url === '/held') waiting.push(answer)
      else answer()
    })
    atEnd(server.stop)
    const { ask } = limited()
    const held = Array.from({ length: 8 }, () => `${server.url}/held`)
    const answers = ask<string[]>('outside', { urls: held })
    await expect.poll(() => waiting.length).toBe(6)
    // Another invocation has connections of its own.
    for (let times = 0; times < 3; times += 1)
      expect(await ask('outside', { urls: [`${server.url}/free`] })).toEqual(['/free'])
    expect(waiting.length).toBe(6)
    waiting.shift()!()
    await expect.poll(() => waiting.length).toBe(6)
    waiting.shift()!()
    await expect.poll(() => waiting.length).toBe(6)
    for (const answer of waiting) answer()
    expect(await answers).toEqual(Array(8).fill('/held'))
  })

  test('makes D1 run one trip after another, each with its delay', async () => {
    const { ask } = await probeUnder({ tripMs: [300, 300], tripsPerSecond: 50 })
    expect(await ask('trips', { count: 1 })).toBeGreaterThanOrEqual(299)
    expect(await ask('trips', { count: 20 })).toBeGreaterThanOrEqual(400)
  })

  test('refuses a trip that would wait too long; a batch is one trip', async () => {
    const { ask } = await probeUnder({ tripsPerSecond: 1, queuedMsMax: 500 })
    expect(await ask('batch')).toEqual(expect.any(Number))
    expect(await ask('trips', { count: 2 })).toMatchObject({
      error: 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
    })
  })

  test('refuses statements and values that D1 refuses', async () => {
    const { ask } = limited()
    const listOf = (count: number) => ({
      sql: `SELECT 1 WHERE 1 IN (${Array(count).fill('?')})`,
      values: Array(count).fill(1),
    })
    const done = 'carried out'
    expect(await ask('statement', listOf(100))).toBe(done)
    expect(await ask('statement', listOf(101))).toMatchObject({
      error: expect.stringMatching(/D1_ERROR: too many SQL variables.*SQLITE_ERROR/),
    })
    expect(await ask('long', { bytes: 99_900 })).toBe(done)
    expect(await ask('long', { bytes: 100_000 })).toMatchObject({
      error: 'D1_ERROR: statement too long: SQLITE_TOOBIG',
    })
    const tooBig = { error: 'D1_ERROR: string or blob too big: SQLITE_TOOBIG' }
    expect(await ask('statement', { sql: 'SELECT length(?)', bytes: [2_000_000] })).toBe(done)
    expect(await ask('statement', { sql: 'SELECT length(?)', bytes: [2_000_001] })).toMatchObject(tooBig)
    const row = { sql: 'INSERT INTO kept (a, b) VALUES (?, ?)', bytes: [1_500_000, 1_500_000] }
    expect(await ask('statement', row)).toMatchObject(tooBig)
  })

  test('delays the answers of R2 and of objects', async () => {
    const { ask } = limited()
    expect(await ask('file')).toBeGreaterThanOrEqual(39)
    expect(await ask('calls', { count: 10 })).toBeGreaterThanOrEqual(39)
  })

  test('evicts idle objects from memory, and leaves their sockets open', async () => {
    const { ask, connect } = evicting()
    const socket = await connect()
    // An eviction takes a moment, in which the object may be asked again.
    const seen = new Set<number>()
    const count = async () => seen.add(await ask('object', { method: 'instance' })).size
    await expect.poll(count).toBeGreaterThan(1)
    await expect.poll(async () => seen.has(Number(await socket.say('again')))).toBe(false)
  })

  test('moves objects: their calls fail, and their sockets close', async () => {
    const { ask, connect } = await probeUnder({ moved: 0.3 })
    const { closed } = await vi.waitFor(connect)
    const instance = () => ask('object', { method: 'instance' })
    await expect.poll(instance, { interval: 1 }).toEqual({
      error: expect.stringContaining('Durable Object reset because its code was updated.'),
      isReset: true,
    })
    await expect.poll(instance, { interval: 1 }).toEqual(expect.any(Number))
    await closed
  })

  test('runs alarms late and twice', async () => {
    const { ask } = limited()
    const atMs = Date.now()
    await ask('object', { method: 'setAlarm', args: [atMs] })
    const alarms = () => ask<number[]>('object', { method: 'alarms' })
    await expect.poll(async () => (await alarms()).length).toBe(2)
    expect((await alarms())[0]! - atMs).toBeGreaterThanOrEqual(300)
  })

  test('delivers messages twice and in any order', async () => {
    const { ask } = limited()
    const bodies = Array.from({ length: 50 }, (_, at) => at)
    await ask('send', { bodies })
    const messages = () => ask<number[]>('messages')
    await expect.poll(async () => (await messages()).length).toBeGreaterThan(60)
    const seen = await messages()
    expect([...new Set(seen)].toSorted((a, b) => a - b)).toEqual(bodies)
    expect(seen.slice(0, 50)).not.toEqual(bodies)
  })

  test('closes every socket at a deployment, also of evicted objects', async () => {
    const { ask, connect, deploy } = evicting()
    const { closed } = await connect()
    const before = await ask('object', { method: 'instance' })
    await deploy()
    await closed
    expect(await ask('object', { method: 'instance' })).not.toBe(before)
  })

  test('ends a hub whose heap passes 128 MiB, and starts it again', async () => {
    const { ask } = limited()
    expect(await ask('heap', { mebibytes: 64 })).toBe(64)
    await expect(ask('heap', { mebibytes: 128 })).rejects.toThrow()
    await expect.poll(() => ask('messages').catch(() => null)).toEqual([])
  })
})
