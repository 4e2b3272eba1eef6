import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import { closeCodes, offlineAfterSecs, silentAfterSecs } from '../../protocol/link/index.ts'
import { runSql } from '../test/tables.ts'
import { createNodeLink } from './object.ts'
import {
  backdate,
  device,
  deviceRow,
  killProcess,
  leave,
  link,
  makeOffer,
  offerOf,
  openHolding,
  openOffered,
  openReady,
  openSilent,
  publish,
  testLinks,
} from './testing/links.ts'

const rounds = testLinks()

describe('after the object was dropped from memory', () => {
  test('its socket and its offers stay valid', async () => {
    const relay = await openReady(2)
    const offer = offerOf()
    await relay.drain()
    await makeOffer(offer)
    await relay.drain()
    await evictDurableObject(link())
    expect(await makeOffer(offer)).toBe('offered')
    expect(await relay.drain()).toEqual([])
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    expect(await relay.drain()).toEqual([])
    expect(rounds.calls).toMatchObject([{ method: 'accepted' }])
  })

  test('a socket that was lost with the process is noticed, and its offers are sent on the next socket', async () => {
    const relay = await openReady()
    const offer = offerOf()
    await relay.drain()
    await makeOffer(offer)
    await publish()
    await killProcess()
    expect(await link().status()).toMatchObject({ connected: false, sessionId: null })
    expect(await makeOffer(offerOf())).toBe('away')
    const next = await openHolding(1, [])
    expect(await next.drain()).toMatchObject([{ type: 'offer', offer_id: offer.offer_id }])
  })

  test('answers of its node may be lost if its socket was lost too, even after the node returns and the offer ends', async () => {
    const { relay, offer } = await openOffered()
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    await evictDurableObject(link())
    expect(await link().wasHeard(offer.offer_id)).toBe(true)
    await killProcess()
    expect(await link().wasHeard(offer.offer_id)).toBe(false)
    const next = await openHolding(1, [offer.offer_id])
    await next.drain()
    await makeOffer({ ...offer, vote_by: unixNow() - 1 })
    await runDurableObjectAlarm(link())
    expect(await link().wasHeard(offer.offer_id)).toBe(false)
  })

  test('an accept may be lost if the process ended before it told the round, even if the socket stayed open', async () => {
    const { relay, offer } = await openOffered()
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await vi.waitUntil(async () => (await link().status()).activeLeases === 1)
    // The platform ends no process that is about to do something: this is the next one, whenever it ended.
    const wasHeard = () =>
      runInDurableObject(link(), (_, state) => createNodeLink(state, env).wasHeard(offer.offer_id))
    expect(await wasHeard()).toBe(false)
    await relay.drain()
    expect(rounds.calls).toMatchObject([{ method: 'accepted' }])
    expect(await wasHeard()).toBe(true)
  })

  test.each(['keeps its socket', 'closes it', 'vanishes'])(
    'a node that does not answer its offer, and %s, has been heard, also after the object slept',
    async (how) => {
      const relay = await openReady()
      const offer = offerOf()
      await makeOffer(offer)
      if (how === 'closes it') await leave(relay)
      if (how === 'vanishes') relay.socket.close(closeCodes.restart)
      await evictDurableObject(link())
      expect(await link().wasHeard(offer.offer_id)).toBe(true)
    },
  )

  test('a node that closed its socket itself has been heard, also while the object slept', async () => {
    const { relay, offer } = await openOffered()
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    await evictDurableObject(link())
    await leave(relay)
    expect(await link().wasHeard(offer.offer_id)).toBe(true)
  })

  test('a node whose socket was lost with the process is away until it is ready again', async () => {
    await openReady(2)
    await killProcess()
    const offer = offerOf()
    expect(await makeOffer(offer)).toBe('away')
    const { relay: next } = await openSilent()
    expect(await makeOffer(offer)).toBe('away')
    expect(await next.drain()).toEqual([])
    next.ready(2)
    await next.drain()
    expect(await makeOffer(offer)).toBe('offered')
    expect(await next.drain()).toMatchObject([{ type: 'offer', offer_id: offer.offer_id }])
  })

  test('a node whose offer may be lost is away, and gets the offer again with the latest times of the round', async () => {
    await openReady(2)
    const offer = offerOf()
    expect(await makeOffer(offer)).toBe('offered')
    await killProcess()
    const later = { ...offer, accept_by: offer.accept_by + 5, vote_by: offer.vote_by + 5 }
    expect(await makeOffer(later)).toBe('away')
    const next = await openHolding(2, [])
    const { accept_by, vote_by } = later
    expect(await next.drain()).toMatchObject([{ type: 'offer', accept_by, vote_by }])
    expect(await makeOffer(later)).toBe('offered')
    expect(await next.drain()).toEqual([])
  })

  test('a node that lost its socket is away for a minute, and then offline', async () => {
    await openReady(2)
    await killProcess()
    expect(await makeOffer(offerOf())).toBe('away')
    await backdate('gone_ms', Date.now() - offlineAfterSecs * 1000)
    expect(await makeOffer(offerOf())).toBe('absent')
  })

  test.each([false, true])(
    'a node that closes its socket is absent at once, also if the object slept: %s',
    async (slept) => {
      const relay = await openReady(2)
      if (slept) await evictDurableObject(link())
      await leave(relay)
      expect(await link().status()).toMatchObject({ connected: false })
      expect(await makeOffer(offerOf())).toBe('absent')
    },
  )

  test('a node is away from the loss of its socket, also before the object is notified', async () => {
    await openReady(2)
    const offered = await runInDurableObject(link(), async (link, state) => {
      for (const socket of state.getWebSockets()) socket.close(1011)
      return (link as unknown as NodeLinkObject).offer(offerOf())
    })
    expect(offered).toBe('away')
  })

  test('a node whose next socket is lost before it was ready is also away', async () => {
    await openReady(2)
    await killProcess()
    await openSilent()
    await killProcess()
    expect(await makeOffer(offerOf())).toBe('away')
  })

  test('a node whose socket was closed because its frames broke rules is away', async () => {
    const relay = await openReady(2)
    for (let i = 0; i < 3; i++) relay.sendRaw('nonsense')
    expect(await relay.close()).toMatchObject({ code: closeCodes.policy })
    expect(await makeOffer(offerOf())).toBe('away')
  })

  test.each([
    ['left by itself after the set was built', 'offline', { connectsAt: 0, how: 'leaves' }],
    ['went with a process of the hub after it for good', 'dropped', { connectsAt: 0, how: 'hub' }],
    ['came after the set was built', 'absent', { connectsAt: 20, how: 'leaves' }],
  ] as const)('a node that %s is %s', async (_, expected, { connectsAt, how }) => {
    const begun = Math.ceil(Date.now() / 1000) + 1
    vi.useFakeTimers({ toFake: ['Date'], now: (begun + connectsAt) * 1000 })
    const relay = await openReady(2)
    vi.setSystemTime((begun + 100) * 1000)
    await (how === 'hub' ? killProcess() : leave(relay))
    await link().status()
    vi.setSystemTime((begun + 200) * 1000)
    expect(await makeOffer(offerOf(), begun + 10)).toBe(expected)
  })

  test('a node that came back twenty times after the set was built, and then left, is offline', async () => {
    const begun = Math.ceil(Date.now() / 1000) + 1
    vi.useFakeTimers({ toFake: ['Date'], now: begun * 1000 })
    for (let i = 0; i <= 20; i++) {
      const relay = await openReady()
      vi.setSystemTime((begun + 100 * i + 20) * 1000)
      await leave(relay)
      await vi.waitUntil(async () => !(await link().status()).connected)
      vi.setSystemTime((begun + 100 * (i + 1)) * 1000)
    }
    expect(await makeOffer(offerOf(), begun + 10)).toBe('offline')
    expect(await makeOffer(offerOf(), begun - 10)).toBe('absent')
  })

  test('a ping is answered with the text that does not wake the object', async () => {
    const { relay } = await openSilent()
    await evictDurableObject(link())
    relay.send({ type: 'ping' })
    expect(await relay.next()).toEqual({ type: 'pong' })
  })
})

describe('the state of a device', () => {
  test('is online with a free slot, idle without one, and offline a minute after its socket', async () => {
    const relay = await openReady()
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'online', free_slots: 1 })
    await makeOffer(offerOf())
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'idle', free_slots: 0 })

    relay.socket.close(1000)
    await relay.close()
    await expect.poll(async () => (await link().status()).connected).toBe(false)
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'idle' })
    await backdate('gone_ms', Date.now() - 60_000)
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'offline', connected_since: null, free_slots: 0 })
  })

  test('is due within half a minute if only the number of free slots changed, and within seconds otherwise', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await openReady(2)
    await publish()
    const dueInSecs = () =>
      runInDurableObject(link(), async (_, { storage }) =>
        Math.round((((await storage.getAlarm()) ?? 0) - Date.now()) / 1000),
      )
    await makeOffer(offerOf())
    expect(await dueInSecs()).toBe(30)
    await makeOffer(offerOf())
    expect(await dueInSecs()).toBeLessThanOrEqual(5)
  })

  test('is written only when it changes', async () => {
    const relay = await openReady()
    await publish()
    const { link_revision: revision } = (await deviceRow()) ?? {}
    relay.ready(1)
    await relay.drain()
    await publish()
    expect(await deviceRow()).toMatchObject({ link_revision: revision })
  })

  test('counts once in the totals of the network', async () => {
    const statement = env.DB.prepare('SELECT connected_devices, available_slots FROM relay_totals')
    const totals = () => statement.first<Record<string, number>>()
    // The devices of other tests still change their state by themselves.
    await runSql('DELETE FROM devices WHERE node_id <> ?', device().nodeId)
    const before = await totals()
    const relay = await openReady(4)
    await publish()
    await publish()
    const { connected_devices: devices = 0, available_slots: slots = 0 } = before ?? {}
    expect(await totals()).toEqual({ connected_devices: devices + 1, available_slots: slots + 4 })
    relay.ready(0)
    await relay.drain()
    await publish()
    expect(await totals()).toEqual({ connected_devices: devices + 1, available_slots: slots })
  })

  test('is faulty after three invalid votes in a day, gets no offers, and recovers afterwards', async () => {
    await openReady(4)
    await link().invalidVote()
    await link().invalidVote()
    expect(await makeOffer(offerOf())).toBe('offered')
    await link().invalidVote()
    expect(await makeOffer(offerOf())).toBe('absent')
    await publish()
    expect((await deviceRow())?.vote_fault_at).toBeTypeOf('number')

    const [day, hour] = [86_400_000, 3_600_000]
    await backdate('invalid_votes', [Date.now() - day - 1, Date.now() - hour, Date.now()])
    await publish()
    expect(await deviceRow()).toMatchObject({ vote_fault_at: null })
    expect(await makeOffer(offerOf())).toBe('offered')
  })

  test('a node that sends nothing for too long after a ping is absent, even if its socket is open', async () => {
    const relay = await openReady(2)
    expect(await makeOffer(offerOf())).toBe('offered')
    await relay.drain()
    relay.send({ type: 'ping' })
    expect(await relay.next()).toEqual({ type: 'pong' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * (silentAfterSecs + 1) })
    expect(await makeOffer(offerOf())).toBe('absent')
    expect(await relay.close()).toEqual({ code: closeCodes.normal, reason: 'silent' })
  })

  test('a problem of a device that no longer exists ends with the next socket of the device', async () => {
    await openReady()
    await backdate('standing', { isBanned: true, isFaulty: false })
    expect(await makeOffer(offerOf())).toBe('absent')
    await openReady()
    await runDurableObjectAlarm(link())
    expect(await makeOffer(offerOf())).toBe('offered')
  })

  test('the next check finds a ban whose message was lost', async () => {
    const relay = await openReady()
    await runSql('UPDATE devices SET banned_at = 1 WHERE node_id = ?', device().nodeId)
    await backdate('checked_ms', 0)
    await runDurableObjectAlarm(link())
    expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
    expect(await makeOffer(offerOf())).toBe('absent')
  })
})
