import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, test, vi } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { framesPerMinute } from '../../durable-objects/link/frame-budget.ts'
import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { closeCodes } from '../../protocol/link/index.ts'
import {
  dateOffers,
  device,
  link,
  makeOffer,
  offerOf,
  openHolding,
  openOffered,
  openReady,
  openSilent,
  testLinks,
} from './testing/links.ts'

const rounds = testLinks()

test('a socket starts with a session, and its slots are the last number that its node sent', async () => {
  const { relay, session } = await openSilent()
  expect(session).toMatch(/^[0-9a-f]{32}$/)
  expect(await link().status()).toMatchObject({ connected: true, sessionId: session, slots: 0 })
  relay.ready(2)
  expect(await relay.drain()).toEqual([])
  expect(await link().status()).toMatchObject({ slots: 2, activeLeases: 0 })
})

describe('an offer', () => {
  test('is sent once to a node that is ready, however often it is made', async () => {
    const relay = await openReady()
    const offer = offerOf()
    expect(await Promise.all([1, 2, 3].map(() => makeOffer(offer)))).toEqual(Array(3).fill('offered'))
    const { input_url: _, ...frame } = offer
    expect(await relay.drain()).toEqual([{ type: 'offer', ...frame }])
  })

  test('contains the address of a large input instead of the input', async () => {
    const relay = await openReady()
    const input_url = 'https://hub.example/inputs/1'
    await makeOffer(offerOf({ input_b64: null, input_url }))
    expect(await relay.drain()).toEqual([expect.objectContaining({ input_url })])
  })

  test('is not made to a node without a socket, or before it is ready', async () => {
    expect(await makeOffer(offerOf())).toBe('absent')
    const { relay } = await openSilent()
    expect(await makeOffer(offerOf())).toBe('absent')
    relay.ready()
    await relay.drain()
    expect(await makeOffer(offerOf())).toBe('offered')
  })

  test('is not made after its deadline', async () => {
    await openReady()
    // Its time is over here, where the clock may be ahead of the round's: nobody is blamed for that.
    expect(await makeOffer(offerOf({ vote_by: unixNow() - 1 }))).toBe('away')
  })

  test('occupies a slot until it is declined, voted on, cancelled, or its time is over', async () => {
    const relay = await openReady(2)
    const [first, second] = [offerOf(), offerOf()]
    for (const offer of [first, second]) await makeOffer(offer)
    expect(await makeOffer(offerOf())).toBe('full')

    relay.send({ type: 'decline', offer_id: first.offer_id, reason: 'busy' })
    await relay.drain()
    const third = offerOf()
    expect(await makeOffer(third)).toBe('offered')

    await link().cancel(second.offer_id, 'the round is closed')
    await link().cancel(second.offer_id, 'the round is closed')
    const cancels = (await relay.drain()).filter(({ type }) => type === 'cancel')
    expect(cancels).toEqual([{ type: 'cancel', offer_id: second.offer_id, reason: 'the round is closed' }])
    expect(await makeOffer(offerOf())).toBe('offered')
    expect(await makeOffer(offerOf())).toBe('full')

    await dateOffers(1, third.offer_id)
    expect(await makeOffer(offerOf())).toBe('offered')
  })

  test('is reported to its round when it is accepted and when it is declined', async () => {
    const relay = await openReady(2)
    const [taken, refused] = [offerOf(), offerOf()]
    await relay.drain()
    for (const offer of [taken, refused]) await makeOffer(offer)
    relay.send({ type: 'accept', offer_id: taken.offer_id })
    relay.send({ type: 'accept', offer_id: taken.offer_id })
    relay.send({ type: 'decline', offer_id: refused.offer_id, reason: 'unknown_module' })
    await relay.drain()
    expect(rounds.calls).toEqual([
      {
        method: 'declined',
        round: deriveTaskRoundId(refused.task),
        given: [refused.offer_id, device().publicKey, 'unknown_module', false],
      },
      {
        method: 'accepted',
        round: deriveTaskRoundId(taken.task),
        given: [taken.offer_id, device().publicKey],
      },
    ])
    expect(await link().status()).toMatchObject({ activeLeases: 1 })
  })

  test('that was accepted is reported to its round within seconds if no vote follows, and at once if its time ends', async () => {
    const relay = await openReady(3)
    const last = { accept_by: unixNow() + 1 }
    const [slow, hurried, fast] = [offerOf(), offerOf(last), offerOf()]
    await relay.drain()
    for (const offer of [slow, hurried, fast]) await makeOffer(offer)
    const told = () => rounds.calls.map(({ method, given }) => [method, given[0]])
    relay.send({ type: 'accept', offer_id: hurried.offer_id })
    await vi.waitUntil(() => rounds.calls.length === 1)
    for (const offer of [fast, slow]) relay.send({ type: 'accept', offer_id: offer.offer_id })
    relay.send({ type: 'vote', offer_id: fast.offer_id, vote: {} as never, output_b64: '', events: [] })
    await vi.waitUntil(() => rounds.calls.length === 3)
    expect(told()).toEqual([
      ['accepted', hurried.offer_id],
      ['voted', fast.offer_id],
      ['accepted', slow.offer_id],
    ])
  })

  test.each([
    ['seconds ago', 'busy', 11, true],
    ['longer ago', 'busy', 21, false],
    ['seconds ago, for another reason', 'incompatible', 11, false],
  ] as const)(
    'that is declined by a node whose last one expired %s, with the reason %s',
    async (_, reason, secs, excused) => {
      const relay = await openReady()
      const begun = unixNow()
      const [last, next] = [offerOf({ vote_by: begun + 10 }), offerOf()]
      await makeOffer(last)
      relay.send({ type: 'accept', offer_id: last.offer_id })
      await relay.drain()
      vi.useFakeTimers({ toFake: ['Date'], now: (begun + secs) * 1000 })
      expect(await makeOffer(next)).toBe('offered')
      rounds.areDown = true
      relay.send({ type: 'decline', offer_id: next.offer_id, reason })
      await relay.drain()
      // It counts when the node declined, not when the round hears of it.
      rounds.areDown = false
      vi.setSystemTime((begun + 60) * 1000)
      await evictDurableObject(link())
      await runDurableObjectAlarm(link())
      const given = [next.offer_id, device().publicKey, reason, excused]
      expect(rounds.calls.at(-1)).toMatchObject({ method: 'declined', given })
    },
  )

  test('that was declined is remembered for five minutes after its time, and forgotten soon after', async () => {
    const relay = await openReady(2)
    const offer = offerOf()
    await relay.drain()
    await makeOffer(offer)
    relay.send({ type: 'decline', offer_id: offer.offer_id, reason: 'busy' })
    await relay.drain()
    const isKnown = async (voteBy: number) => {
      await dateOffers(voteBy)
      await runDurableObjectAlarm(link())
      return (await makeOffer(offer)) === 'offered' && (await relay.drain()).length === 0
    }
    expect(await isKnown(unixNow() - 300)).toBe(true)
    expect(await isKnown(unixNow() - 370)).toBe(false)
  })

  test('is reported again by an alarm if its round did not answer', async () => {
    const relay = await openReady()
    const offer = offerOf()
    await relay.drain()
    await makeOffer(offer)
    rounds.areDown = true
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    rounds.areDown = false
    await evictDurableObject(link())
    await runDurableObjectAlarm(link())
    await runDurableObjectAlarm(link())
    expect(rounds.calls.map(({ method }) => method)).toEqual(['accepted'])
  })

  test('that is not open cannot be accepted', async () => {
    const relay = await openReady()
    const { offer_id } = offerOf()
    relay.send({ type: 'accept', offer_id })
    expect(await relay.drain()).toEqual([
      { type: 'error', code: 'not_found', message: 'This offer is not open here.', offer_id },
    ])
  })
})

describe('a second socket', () => {
  test('replaces the first', async () => {
    const { relay: first } = await openSilent()
    const { relay: second, session } = await openSilent()
    expect(await first.close()).toMatchObject({ code: closeCodes.replaced })
    second.ready(3)
    await second.drain()
    expect(await link().status()).toMatchObject({ connected: true, sessionId: session, slots: 3 })
  })

  test('is the only active one: frames of the socket that it replaced change nothing', async () => {
    const { relay, offer } = await openOffered(3)
    await relay.drain()
    await runInDurableObject(link(), async (link, state) => {
      // Frames that were on their way when the socket was replaced.
      const { 1: replaced } = new WebSocketPair()
      state.acceptWebSocket(replaced, ['00'.repeat(16)])
      const { webSocketMessage } = link as unknown as NodeLinkObject
      const ready = { type: 'ready', slots: 9, engine: 'native', nodectl_version: '1.0.0', holding: [] }
      const decline = { type: 'decline', offer_id: offer.offer_id, reason: 'busy' }
      for (const frame of [ready, decline])
        await webSocketMessage.call(link as never, replaced, JSON.stringify(frame))
      replaced.close(closeCodes.replaced)
    })
    expect(await link().status()).toMatchObject({ connected: true, slots: 3 })
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    expect(await relay.drain()).toEqual([])
    expect(await link().status()).toMatchObject({ activeLeases: 1 })
  })

  test('one of fifty parallel sockets stays', async () => {
    const opened = await Promise.all(Array.from({ length: 50 }, () => openSilent()))
    const { sessionId } = await link().status()
    const left = opened.filter(({ session }) => session === sessionId)
    expect(left).toHaveLength(1)
    const closed = opened.filter(({ session }) => session !== sessionId).map(({ relay }) => relay.close())
    const codes = new Set((await Promise.all(closed)).map(({ code }) => code))
    expect(codes).toEqual(new Set([closeCodes.replaced]))
    left[0]?.relay.ready(1)
    expect(await left[0]?.relay.drain()).toEqual([])
  })

  test('is sent the open offers that its node does not hold', async () => {
    const first = await openReady(3)
    const [held, lost, declined] = [offerOf(), offerOf(), offerOf()]
    for (const offer of [held, lost, declined]) await makeOffer(offer)
    first.send({ type: 'decline', offer_id: declined.offer_id, reason: 'busy' })
    await first.drain()
    const unknown = offerOf().offer_id
    const second = await openHolding(3, [held.offer_id, declined.offer_id, unknown])
    expect(await second.drain()).toEqual([
      expect.objectContaining({ type: 'offer', offer_id: lost.offer_id }),
      { type: 'cancel', offer_id: declined.offer_id, reason: 'not open' },
      { type: 'cancel', offer_id: unknown, reason: 'not open' },
    ])
    second.ready(2, [held.offer_id])
    expect(await second.drain()).toEqual([])
  })
})

describe('a frame that breaks a rule', () => {
  test.each([
    ['no JSON', 'hello', 'bad_request'],
    ['bytes', new ArrayBuffer(4), 'bad_request'],
    ['an unknown type', '{"type":"bye"}', 'invalid_field'],
    ['an unknown member', '{"type":"ping","x":1}', 'invalid_field'],
    [
      'more slots than there are',
      '{"type":"ready","slots":65,"engine":"native","nodectl_version":"1.0.0","holding":[]}',
      'invalid_field',
    ],
    [
      'a vote of a node that was offered nothing, above the size of a control frame',
      `{"type":"vote","offer_id":"${'0'.repeat(64)}.0","vote":{},"output_b64":"","events":["${'x'.repeat(65_536)}"]}`,
      'too_large',
    ],
  ])('is answered: %s', async (_, text, code) => {
    const { relay } = await openSilent()
    relay.sendRaw(text)
    expect(await relay.next()).toMatchObject({ type: 'error', code })
    relay.ready()
    expect(await relay.drain()).toEqual([])
  })

  test('closes the socket the third time, also if the object slept in between', async () => {
    const { relay } = await openSilent()
    for (const evicted of [false, true]) {
      relay.sendRaw('nonsense')
      expect(await relay.next()).toMatchObject({ type: 'error', code: 'bad_request' })
      if (evicted) await evictDurableObject(link())
    }
    relay.sendRaw('nonsense')
    expect(await relay.next()).toMatchObject({ type: 'error' })
    expect(await relay.close()).toMatchObject({ code: closeCodes.policy })
    expect(await link().status()).toMatchObject({ connected: false })
  })

  test('is also each frame above the limit per minute', async () => {
    const { relay } = await openSilent()
    for (let i = 0; i <= framesPerMinute; i++) relay.ready(i % 2)
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'rate_limited' })
  })

  test('is not a frame that answers an offer, even above this limit', async () => {
    const relay = await openReady(1)
    for (let i = 0; i <= framesPerMinute / 2; i++) {
      const offer = offerOf()
      expect(await makeOffer(offer)).toBe('offered')
      relay.send({ type: 'accept', offer_id: offer.offer_id })
      relay.send({ type: 'decline', offer_id: offer.offer_id, reason: 'busy' })
      expect(await relay.next()).toMatchObject({ type: 'offer' })
      await vi.waitUntil(() => rounds.calls.length === i + 1, { interval: 1 })
    }
    expect(await relay.drain()).toEqual([])
  })
})
