import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { framesPerMinute } from '../../durable-objects/link/frame-budget.ts'
import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { LinkOffer } from '../../durable-objects/link/types.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { closeCodes, offerId, offlineAfterSecs, silentAfterSecs } from '../../protocol/link/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import { createMiner } from '../test/device.ts'
import { insertNode, type TestNode } from '../test/node.ts'
import { recordRounds } from '../test/recorded-rounds.ts'
import { linkOf, openRelay, type RelaySocket } from '../test/relay-socket.ts'

const rounds = recordRounds()

let node: TestNode
beforeEach(async () => {
  node = (await createMiner()).device
  await insertNode(node)
})

let tasks = 0
/** An offer of a task of its own. */
function offerOf(change: Partial<LinkOffer> = {}): LinkOffer {
  tasks += 1
  const hash = `0x${'ab'.repeat(32)}`
  const task: Task = {
    v: 1,
    project_id: hash,
    consensus_hash: hash,
    epoch: 1,
    seq: tasks,
    set_hash: hash,
    module_address: hash,
    function: 'work',
    input_hash: hash,
    gas_limit: 1_000,
    issued_at: unixNow(),
  }
  const id = offerId({ round_id: deriveTaskRoundId(task), position: 0 })
  return {
    offer_id: id,
    lease_id: id,
    task,
    position: 0,
    role: 'primary',
    input_b64: 'aGVsbG8=',
    input_url: null,
    accept_by: unixNow() + 10,
    vote_by: unixNow() + 120,
    ...change,
  }
}

/** A socket whose node has said that it takes so many offers. */
async function openReady(slots = 1, holding: readonly string[] = []): Promise<RelaySocket> {
  const { relay } = await openRelay(node)
  relay.ready(slots, holding)
  return relay
}

/** Changes what the object has stored, and has it read it again. */
async function alter(change: (storage: DurableObjectStorage) => void): Promise<void> {
  await runInDurableObject(linkOf(node), (_, { storage }) => change(storage))
  await evictDurableObject(linkOf(node))
}

/** Lets a time that the object has stored lie in the past. */
const backdate = (name: string, value: unknown) => alter(({ kv }) => kv.put(name, value))

const deviceRow = () =>
  env.DB.prepare('SELECT * FROM devices WHERE node_id = ?').bind(node.nodeId).first<Record<string, unknown>>()

/** Runs what is due, publishing included. */
async function publish(): Promise<void> {
  await backdate('publish_ms', 0)
  await runDurableObjectAlarm(linkOf(node))
}

test('a socket begins with a session, and its slots are those its node said last', async () => {
  const { relay, session } = await openRelay(node)
  expect(session).toMatch(/^[0-9a-f]{32}$/)
  expect(await linkOf(node).status()).toMatchObject({ connected: true, sessionId: session, slots: 0 })
  relay.ready(2)
  expect(await relay.drain()).toEqual([])
  expect(await linkOf(node).status()).toMatchObject({ slots: 2, activeLeases: 0 })
})

describe('an offer', () => {
  test('goes to a node that is ready, once, however often it is made', async () => {
    const relay = await openReady()
    await relay.drain()
    const offer = offerOf()
    expect(await Promise.all([1, 2, 3].map(() => linkOf(node).offer(offer)))).toEqual([
      'offered',
      'offered',
      'offered',
    ])
    const { input_url: _, ...frame } = offer
    expect(await relay.drain()).toEqual([{ type: 'offer', ...frame }])
  })

  test('has the address of a large input in its place', async () => {
    const relay = await openReady()
    await relay.drain()
    const input_url = 'https://hub.example/inputs/1'
    await linkOf(node).offer(offerOf({ input_b64: null, input_url }))
    expect(await relay.drain()).toEqual([expect.objectContaining({ input_url })])
  })

  test('is not made to a node without a socket, or before it is ready', async () => {
    expect(await linkOf(node).offer(offerOf())).toBe('absent')
    const { relay } = await openRelay(node)
    expect(await linkOf(node).offer(offerOf())).toBe('absent')
    relay.ready()
    await relay.drain()
    expect(await linkOf(node).offer(offerOf())).toBe('offered')
  })

  test('is not made when its time is over', async () => {
    const relay = await openReady()
    await relay.drain()
    // Its time is over here, where the clock may be ahead of the round's: nobody is blamed for that.
    expect(await linkOf(node).offer(offerOf({ vote_by: unixNow() - 1 }))).toBe('away')
  })

  test('takes a slot until it is declined, voted on, cancelled, or its time is over', async () => {
    const relay = await openReady(2)
    await relay.drain()
    const link = linkOf(node)
    const [first, second] = [offerOf(), offerOf()]
    await link.offer(first)
    await link.offer(second)
    expect(await link.offer(offerOf())).toBe('full')

    relay.send({ type: 'decline', offer_id: first.offer_id, reason: 'busy' })
    await relay.drain()
    const third = offerOf()
    expect(await link.offer(third)).toBe('offered')

    await link.cancel(second.offer_id, 'the round is closed')
    await link.cancel(second.offer_id, 'the round is closed')
    const cancels = (await relay.drain()).filter(({ type }) => type === 'cancel')
    expect(cancels).toEqual([{ type: 'cancel', offer_id: second.offer_id, reason: 'the round is closed' }])
    expect(await link.offer(offerOf())).toBe('offered')
    expect(await link.offer(offerOf())).toBe('full')

    await alter(({ sql }) => {
      sql.exec('UPDATE offers SET vote_by = 1 WHERE offer_id = ?', third.offer_id)
    })
    expect(await link.offer(offerOf())).toBe('offered')
  })

  test('is told to its round when it is accepted and when it is declined', async () => {
    const relay = await openReady(2)
    const [taken, refused] = [offerOf(), offerOf()]
    await relay.drain()
    await linkOf(node).offer(taken)
    await linkOf(node).offer(refused)
    relay.send({ type: 'accept', offer_id: taken.offer_id })
    relay.send({ type: 'accept', offer_id: taken.offer_id })
    relay.send({ type: 'decline', offer_id: refused.offer_id, reason: 'unknown_module' })
    await relay.drain()
    expect(rounds.calls).toEqual([
      { method: 'accepted', round: deriveTaskRoundId(taken.task), given: [taken.offer_id, node.publicKey] },
      {
        method: 'declined',
        round: deriveTaskRoundId(refused.task),
        given: [refused.offer_id, node.publicKey, 'unknown_module', false],
      },
    ])
    expect(await linkOf(node).status()).toMatchObject({ activeLeases: 1 })
  })

  test.each([
    ['seconds ago', 'busy', 11, true],
    ['longer ago', 'busy', 21, false],
    ['seconds ago, for another reason', 'incompatible', 11, false],
  ] as const)(
    'that is declined by a node whose last one expired %s, as %s',
    async (_, reason, secs, excused) => {
      const relay = await openReady()
      await relay.drain()
      const begun = unixNow()
      const [last, next] = [offerOf({ vote_by: begun + 10 }), offerOf()]
      await linkOf(node).offer(last)
      relay.send({ type: 'accept', offer_id: last.offer_id })
      await relay.drain()
      vi.useFakeTimers({ toFake: ['Date'], now: (begun + secs) * 1000 })
      try {
        expect(await linkOf(node).offer(next)).toBe('offered')
        rounds.areDown = true
        relay.send({ type: 'decline', offer_id: next.offer_id, reason })
        await relay.drain()
        // It counts when the node declined, not when the round hears of it.
        rounds.areDown = false
        vi.setSystemTime((begun + 60) * 1000)
        await evictDurableObject(linkOf(node))
        await runDurableObjectAlarm(linkOf(node))
      } finally {
        vi.useRealTimers()
      }
      expect(rounds.calls.at(-1)).toMatchObject({
        method: 'declined',
        given: [next.offer_id, node.publicKey, reason, excused],
      })
    },
  )

  test('that was declined is known for five minutes after its time, and forgotten soon after', async () => {
    const relay = await openReady(2)
    const offer = offerOf()
    await relay.drain()
    await linkOf(node).offer(offer)
    relay.send({ type: 'decline', offer_id: offer.offer_id, reason: 'busy' })
    await relay.drain()
    const isKnown = async (voteBy: number) => {
      await alter(({ sql }) => void sql.exec('UPDATE offers SET vote_by = ?', voteBy))
      await runDurableObjectAlarm(linkOf(node))
      return (await linkOf(node).offer(offer)) === 'offered' && (await relay.drain()).length === 0
    }
    expect(await isKnown(unixNow() - 300)).toBe(true)
    expect(await isKnown(unixNow() - 370)).toBe(false)
  })

  test('is told again by an alarm when its round did not answer', async () => {
    const relay = await openReady()
    const offer = offerOf()
    await relay.drain()
    await linkOf(node).offer(offer)
    rounds.areDown = true
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    rounds.areDown = false
    await evictDurableObject(linkOf(node))
    await runDurableObjectAlarm(linkOf(node))
    await runDurableObjectAlarm(linkOf(node))
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

describe('a vote', () => {
  const vote = { kind: 'task' } as never
  let relay: RelaySocket
  let offer: LinkOffer
  beforeEach(async () => {
    relay = await openReady()
    offer = offerOf()
    await relay.drain()
    await linkOf(node).offer(offer)
    await relay.drain()
  })
  const send = () =>
    relay.send({ type: 'vote', offer_id: offer.offer_id, vote, output_b64: 'b2s=', events: [] })

  test('is passed on, and confirmed with what the round says; every one of them', async () => {
    send()
    expect(await relay.next()).toEqual({ type: 'voted', offer_id: offer.offer_id, state: 'pending' })
    rounds.answer = { ok: true, state: 'committee_agreed' }
    send()
    expect(await relay.next()).toMatchObject({ state: 'committee_agreed' })
    expect(rounds.calls).toEqual([
      expect.objectContaining({
        method: 'voted',
        given: [offer.offer_id, node.publicKey, { vote, output_b64: 'b2s=', events: [] }],
      }),
      expect.objectContaining({ method: 'voted' }),
    ])
    expect(await linkOf(node).offer(offerOf())).toBe('offered')
  })

  test('that the round refuses keeps its slot, and the node learns why', async () => {
    rounds.answer = { ok: false, code: 'invalid_evidence', message: 'The receipt is of another run.' }
    send()
    expect(await relay.next()).toEqual({
      type: 'error',
      code: 'invalid_evidence',
      message: 'The receipt is of another run.',
      offer_id: offer.offer_id,
    })
    expect(await linkOf(node).offer(offerOf())).toBe('full')
  })

  test('that finds no round is to be sent again', async () => {
    rounds.areDown = true
    send()
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'unavailable', offer_id: offer.offer_id })
    rounds.areDown = false
    send()
    expect(await relay.next()).toMatchObject({ type: 'voted' })
  })

  test('that finds no round in its time is one that the link did not hear', async () => {
    expect(await linkOf(node).wasHeard(offer.offer_id)).toBe(true)
    rounds.areDown = true
    send()
    await relay.next()
    expect(await linkOf(node).wasHeard(offer.offer_id)).toBe(false)
  })

  test('that was stored is confirmed to a node that asks on another socket', async () => {
    send()
    await relay.next()
    const again = await openReady(1, [offer.offer_id])
    expect(await again.drain()).toEqual([{ type: 'voted', offer_id: offer.offer_id, state: 'pending' }])
  })

  test('of nothing that was offered is no reason to ask a round', async () => {
    const { offer_id } = offerOf()
    relay.send({ type: 'vote', offer_id, vote, output_b64: '', events: [] })
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'not_found', offer_id })
    expect(rounds.calls).toEqual([])
  })
})

describe('a second socket', () => {
  test('takes the place of the first', async () => {
    const { relay: first } = await openRelay(node)
    const { relay: second, session } = await openRelay(node)
    expect(await first.close()).toMatchObject({ code: closeCodes.replaced })
    second.ready(3)
    await second.drain()
    expect(await linkOf(node).status()).toMatchObject({ connected: true, sessionId: session, slots: 3 })
  })

  test('is listened to alone: frames of the one that it replaced change nothing', async () => {
    const relay = await openReady(3)
    const offer = offerOf()
    await linkOf(node).offer(offer)
    await relay.drain()
    await runInDurableObject(linkOf(node), async (link, state) => {
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
    expect(await linkOf(node).status()).toMatchObject({ connected: true, slots: 3 })
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    expect(await relay.drain()).toEqual([])
    expect(await linkOf(node).status()).toMatchObject({ activeLeases: 1 })
  })

  test('of fifty at once, one stays', async () => {
    const opened = await Promise.all(Array.from({ length: 50 }, () => openRelay(node)))
    const { sessionId } = await linkOf(node).status()
    const left = opened.filter(({ session }) => session === sessionId)
    expect(left).toHaveLength(1)
    const closed = opened.filter(({ session }) => session !== sessionId).map(({ relay }) => relay.close())
    expect(new Set((await Promise.all(closed)).map(({ code }) => code))).toEqual(
      new Set([closeCodes.replaced]),
    )
    left[0]?.relay.ready(1)
    expect(await left[0]?.relay.drain()).toEqual([])
  })

  test('is sent the open offers that its node does not hold', async () => {
    const first = await openReady(3)
    await first.drain()
    const [held, lost, declined] = [offerOf(), offerOf(), offerOf()]
    for (const offer of [held, lost, declined]) await linkOf(node).offer(offer)
    first.send({ type: 'decline', offer_id: declined.offer_id, reason: 'busy' })
    await first.drain()
    const unknown = offerOf().offer_id
    const second = await openReady(3, [held.offer_id, declined.offer_id, unknown])
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
    const { relay } = await openRelay(node)
    relay.sendRaw(text)
    expect(await relay.next()).toMatchObject({ type: 'error', code })
    relay.ready()
    expect(await relay.drain()).toEqual([])
  })

  test('closes the socket at the third one, also after the object slept', async () => {
    const { relay } = await openRelay(node)
    for (const evicted of [false, true]) {
      relay.sendRaw('nonsense')
      expect(await relay.next()).toMatchObject({ type: 'error', code: 'bad_request' })
      if (evicted) await evictDurableObject(linkOf(node))
    }
    relay.sendRaw('nonsense')
    expect(await relay.next()).toMatchObject({ type: 'error' })
    expect(await relay.close()).toMatchObject({ code: closeCodes.policy })
    expect(await linkOf(node).status()).toMatchObject({ connected: false })
  })

  test('is also one of too many', async () => {
    const { relay } = await openRelay(node)
    for (let i = 0; i <= framesPerMinute; i++) relay.ready(i % 2)
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'rate_limited' })
  })

  test('does not count what an offer asked for', async () => {
    const relay = await openReady(1)
    const link = linkOf(node)
    for (let i = 0; i <= framesPerMinute / 2; i++) {
      const offer = offerOf()
      expect(await link.offer(offer)).toBe('offered')
      relay.send({ type: 'accept', offer_id: offer.offer_id })
      relay.send({ type: 'decline', offer_id: offer.offer_id, reason: 'busy' })
      expect(await relay.next()).toMatchObject({ type: 'offer' })
      await vi.waitUntil(() => rounds.calls.length === 2 * (i + 1), { interval: 1 })
    }
    expect(await relay.drain()).toEqual([])
  })
})

describe('after the object was dropped from memory', () => {
  test('its socket and its offers go on', async () => {
    const relay = await openReady(2)
    const offer = offerOf()
    await relay.drain()
    await linkOf(node).offer(offer)
    await relay.drain()
    await evictDurableObject(linkOf(node))
    expect(await linkOf(node).offer(offer)).toBe('offered')
    expect(await relay.drain()).toEqual([])
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    expect(await relay.drain()).toEqual([])
    expect(rounds.calls).toMatchObject([{ method: 'accepted' }])
  })

  test('a socket that went with the process is missed, and its offers are sent on the next one', async () => {
    const relay = await openReady()
    const offer = offerOf()
    await relay.drain()
    await linkOf(node).offer(offer)
    await publish()
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    expect(await linkOf(node).status()).toMatchObject({ connected: false, sessionId: null })
    expect(await linkOf(node).offer(offerOf())).toBe('away')
    const next = await openReady()
    expect(await next.drain()).toMatchObject([{ type: 'offer', offer_id: offer.offer_id }])
  })

  test('its node may not have been heard where its socket went with it, also after that came back and its time was over', async () => {
    const relay = await openReady()
    const offer = offerOf()
    await linkOf(node).offer(offer)
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    await evictDurableObject(linkOf(node))
    expect(await linkOf(node).wasHeard(offer.offer_id)).toBe(true)
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    expect(await linkOf(node).wasHeard(offer.offer_id)).toBe(false)
    const next = await openReady(1, [offer.offer_id])
    await next.drain()
    await linkOf(node).offer({ ...offer, vote_by: unixNow() - 1 })
    await runDurableObjectAlarm(linkOf(node))
    expect(await linkOf(node).wasHeard(offer.offer_id)).toBe(false)
  })

  test('a node that closed its socket by itself was heard, also while the object slept', async () => {
    const relay = await openReady()
    const offer = offerOf()
    await linkOf(node).offer(offer)
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    await evictDurableObject(linkOf(node))
    relay.socket.close(closeCodes.normal, 'the node stops')
    await relay.close()
    expect(await linkOf(node).wasHeard(offer.offer_id)).toBe(true)
  })

  test('a node whose socket went with the process is away, until it is ready again', async () => {
    await (await openReady(2)).drain()
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    const offer = offerOf()
    expect(await linkOf(node).offer(offer)).toBe('away')
    const { relay: next } = await openRelay(node)
    expect(await linkOf(node).offer(offer)).toBe('away')
    expect(await next.drain()).toEqual([])
    next.ready(2)
    await next.drain()
    expect(await linkOf(node).offer(offer)).toBe('offered')
    expect(await next.drain()).toMatchObject([{ type: 'offer', offer_id: offer.offer_id }])
  })

  test('a node that may not have heard its offer is away, and is sent it with the times that the round said last', async () => {
    await (await openReady(2)).drain()
    const offer = offerOf()
    expect(await linkOf(node).offer(offer)).toBe('offered')
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    const later = { ...offer, accept_by: offer.accept_by + 5, vote_by: offer.vote_by + 5 }
    expect(await linkOf(node).offer(later)).toBe('away')
    const next = await openReady(2)
    const { accept_by, vote_by } = later
    expect(await next.drain()).toMatchObject([{ type: 'offer', accept_by, vote_by }])
    expect(await linkOf(node).offer(later)).toBe('offered')
    expect(await next.drain()).toEqual([])
  })

  test('a node that lost its socket is away for a minute, and then offline', async () => {
    await (await openReady(2)).drain()
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    expect(await linkOf(node).offer(offerOf())).toBe('away')
    await backdate('gone_ms', Date.now() - offlineAfterSecs * 1000)
    expect(await linkOf(node).offer(offerOf())).toBe('absent')
  })

  test.each([false, true])(
    'a node that closes its socket is gone at once, also where the object slept: %s',
    async (slept) => {
      const relay = await openReady(2)
      await relay.drain()
      if (slept) await evictDurableObject(linkOf(node))
      relay.socket.close(closeCodes.normal, 'the node stops')
      await relay.close()
      expect(await linkOf(node).status()).toMatchObject({ connected: false })
      expect(await linkOf(node).offer(offerOf())).toBe('absent')
    },
  )

  test('a node is away from when its socket is lost, also before the object is told', async () => {
    const relay = await openReady(2)
    await relay.drain()
    const offered = await runInDurableObject(linkOf(node), async (link, state) => {
      for (const socket of state.getWebSockets()) socket.close(1011)
      return (link as unknown as NodeLinkObject).offer(offerOf())
    })
    expect(offered).toBe('away')
  })

  test('a node whose next socket is lost before it was ready is away too', async () => {
    await (await openReady(2)).drain()
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    await openRelay(node)
    await evictDurableObject(linkOf(node), { webSockets: 'close' })
    expect(await linkOf(node).offer(offerOf())).toBe('away')
  })

  test('a node whose socket was closed because its frames broke rules is away', async () => {
    const relay = await openReady(2)
    for (let i = 0; i < 3; i++) relay.sendRaw('nonsense')
    expect(await relay.close()).toMatchObject({ code: closeCodes.policy })
    expect(await linkOf(node).offer(offerOf())).toBe('away')
  })

  test.each([
    ['left by itself after the set was built', 'offline', { connectsAt: 0, how: 'leaves' }],
    [
      'went with a process of the hub after it, and did not come back',
      'dropped',
      { connectsAt: 0, how: 'hub' },
    ],
    ['came after the set was built', 'absent', { connectsAt: 20, how: 'leaves' }],
  ] as const)('a node that %s is %s', async (_, expected, { connectsAt, how }) => {
    const begun = Math.ceil(Date.now() / 1000) + 1
    vi.useFakeTimers({ toFake: ['Date'], now: (begun + connectsAt) * 1000 })
    try {
      const relay = await openReady(2)
      await relay.drain()
      vi.setSystemTime((begun + 100) * 1000)
      if (how === 'hub') await evictDurableObject(linkOf(node), { webSockets: 'close' })
      else {
        relay.socket.close(closeCodes.normal, 'the node stops')
        await relay.close()
      }
      await linkOf(node).status()
      vi.setSystemTime((begun + 200) * 1000)
      expect(await linkOf(node).offer(offerOf(), begun + 10)).toBe(expected)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a node that came back twenty times after the set was built, and then left, is offline', async () => {
    const begun = Math.ceil(Date.now() / 1000) + 1
    vi.useFakeTimers({ toFake: ['Date'], now: begun * 1000 })
    try {
      for (let i = 0; i <= 20; i++) {
        const relay = await openReady()
        vi.setSystemTime((begun + 100 * i + 20) * 1000)
        relay.socket.close(closeCodes.normal, 'the node stops')
        await relay.close()
        await vi.waitUntil(async () => !(await linkOf(node).status()).connected)
        vi.setSystemTime((begun + 100 * (i + 1)) * 1000)
      }
      expect(await linkOf(node).offer(offerOf(), begun + 10)).toBe('offline')
      expect(await linkOf(node).offer(offerOf(), begun - 10)).toBe('absent')
    } finally {
      vi.useRealTimers()
    }
  })

  test('a ping is answered, in the text that wakes nothing', async () => {
    const { relay } = await openRelay(node)
    await evictDurableObject(linkOf(node))
    relay.send({ type: 'ping' })
    expect(await relay.next()).toEqual({ type: 'pong' })
  })
})

describe('the state of a device', () => {
  test('is online with a free slot, idle without one, and offline a minute after its socket', async () => {
    const relay = await openReady()
    await relay.drain()
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'online', free_slots: 1 })
    await linkOf(node).offer(offerOf())
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'idle', free_slots: 0 })

    relay.socket.close(1000)
    await relay.close()
    await expect.poll(async () => (await linkOf(node).status()).connected).toBe(false)
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'idle' })
    await backdate('gone_ms', Date.now() - 60_000)
    await publish()
    expect(await deviceRow()).toMatchObject({ link_state: 'offline', connected_since: null, free_slots: 0 })
  })

  test('is written when it changes, and not otherwise', async () => {
    const relay = await openReady()
    await relay.drain()
    await publish()
    const { link_revision: revision } = (await deviceRow()) ?? {}
    relay.ready(1)
    await relay.drain()
    await publish()
    expect(await deviceRow()).toMatchObject({ link_revision: revision })
  })

  test('counts in what the network shows, once', async () => {
    const totals = () =>
      env.DB.prepare('SELECT connected_devices, available_slots FROM relay_totals').first<
        Record<string, number>
      >()
    const before = await totals()
    const relay = await openReady(4)
    await relay.drain()
    await publish()
    await publish()
    const { connected_devices: devices = 0, available_slots: slots = 0 } = before ?? {}
    expect(await totals()).toEqual({ connected_devices: devices + 1, available_slots: slots + 4 })
    relay.ready(0)
    await relay.drain()
    await publish()
    expect(await totals()).toEqual({ connected_devices: devices + 1, available_slots: slots })
  })

  test('is faulty after three invalid votes in a day, without offers, and no longer', async () => {
    const relay = await openReady(4)
    await relay.drain()
    const link = linkOf(node)
    await link.invalidVote()
    await link.invalidVote()
    expect(await link.offer(offerOf())).toBe('offered')
    await link.invalidVote()
    expect(await link.offer(offerOf())).toBe('absent')
    await publish()
    expect((await deviceRow())?.vote_fault_at).toBeTypeOf('number')

    const [day, hour] = [86_400_000, 3_600_000]
    await backdate('invalid_votes', [Date.now() - day - 1, Date.now() - hour, Date.now()])
    await publish()
    expect(await deviceRow()).toMatchObject({ vote_fault_at: null })
    expect(await link.offer(offerOf())).toBe('offered')
  })

  test('a node that pinged and then fell silent is gone, whatever its socket says', async () => {
    const relay = await openReady(2)
    expect(await linkOf(node).offer(offerOf())).toBe('offered')
    await relay.drain()
    relay.send({ type: 'ping' })
    expect(await relay.next()).toEqual({ type: 'pong' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * (silentAfterSecs + 1) })
    try {
      expect(await linkOf(node).offer(offerOf())).toBe('absent')
    } finally {
      vi.useRealTimers()
    }
    expect(await relay.close()).toEqual({ code: closeCodes.normal, reason: 'silent' })
  })

  test('what was held against a device and is not any more ends with its next socket', async () => {
    await (await openReady()).drain()
    await backdate('standing', { isBanned: true, isFaulty: false })
    expect(await linkOf(node).offer(offerOf())).toBe('absent')
    await (await openReady()).drain()
    await runDurableObjectAlarm(linkOf(node))
    expect(await linkOf(node).offer(offerOf())).toBe('offered')
  })

  test('a ban that no message told is found by the next look', async () => {
    const relay = await openReady()
    await relay.drain()
    await env.DB.prepare('UPDATE devices SET banned_at = 1 WHERE node_id = ?').bind(node.nodeId).run()
    await backdate('checked_ms', 0)
    await runDurableObjectAlarm(linkOf(node))
    expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
    expect(await linkOf(node).offer(offerOf())).toBe('absent')
  })
})
