import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { profileStrings, resolveProfile } from '../../protocol/identity/index.ts'
import { closeCodes, frameRoundsMax } from '../../protocol/link/index.ts'
import { createMiner, createNode, createOperator, insertNode, type TestNode } from '../test/callers.ts'
import { client, expectRefusal } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { recordRounds } from '../test/recorded-rounds.ts'
import { linkOf, openRelay, RelaySocket, upgradeHeaders } from '../test/relay-socket.ts'
import { runSql } from '../test/tables.ts'
import { together } from '../test/together.ts'
import { offerOf } from './testing/links.ts'

const rounds = recordRounds()
let node: TestNode
beforeEach(async () => {
  node = createNode()
  await insertNode(node, { role: 'validator' })
})

const roundId = (name: string) => `task:${hashText(name)}`
const requestOf = (name: string, input = '') => JSON.stringify({ round_id: roundId(name), input })
const answerTo = (name: string) => ({ round_id: roundId(name), vote: {}, run: null })
const link = () => linkOf(node)

async function openReady(slots = 0): Promise<RelaySocket> {
  const { relay } = await openRelay(node)
  relay.ready(slots, [], 'validator')
  expect(await relay.drain()).toEqual([])
  return relay
}

describe('a validator', () => {
  test('needs no device for its socket while operators approve it', async () => {
    await openReady()
    const pending = createNode()
    await insertNode(pending, { role: 'validator', status: 'pending' })
    await expectRefusal(client().get('/v1/relay', await upgradeHeaders(pending)), '403 forbidden', {
      details: { reason: 'not_bound' },
    })
  })

  test('is asked about many rounds in one frame, and the object stores nothing', async () => {
    const relay = await openReady()
    // The alarms that follow from the connection.
    await runDurableObjectAlarm(link())
    await runDurableObjectAlarm(link())
    const stored = () =>
      runInDurableObject(link(), (_, { storage }) => storage.sql.exec('SELECT total_changes() AS n').one().n)
    const before = await stored()
    const names = Array.from({ length: 30 }, (_, i) => `round ${i}`)
    const asking = () => Promise.all(names.map((name) => link().decide(requestOf(name))))
    expect(await together(asking)).toEqual(names.map(() => true))
    expect(await relay.next()).toEqual({
      type: 'decide',
      rounds: names.map((name) => ({ round_id: roundId(name), input: '' })),
    })
    relay.send({ type: 'decided', answers: names.toReversed().map(answerTo) })
    expect(await relay.drain()).toEqual([])
    expect(rounds.calls).toEqual(
      names.toReversed().map((name) => ({
        method: 'decided',
        round: roundId(name),
        given: [node.publicKey, answerTo(name)],
      })),
    )
    expect(await stored()).toBe(before)
  })

  test('gets no more than 100 rounds and 256 KiB in a frame, and a larger request alone', async () => {
    const relay = await openReady()
    const ask = (names: readonly string[], input = '') =>
      together(() => Promise.all(names.map((name) => link().decide(requestOf(name, input)))))
    const sizes = async (count: number) => {
      const found: number[] = []
      while (found.reduce((sum, one) => sum + one, 0) < count) {
        const frame = await relay.next()
        if (frame.type === 'decide') found.push(frame.rounds.length)
      }
      return found
    }
    await ask(Array.from({ length: frameRoundsMax + 1 }, (_, i) => `many ${i}`))
    expect(await sizes(frameRoundsMax + 1)).toEqual([frameRoundsMax, 1])
    await ask(['1', '2', '3'], 'x'.repeat(100_000))
    expect(await sizes(3)).toEqual([2, 1])
    await ask(['large'], 'x'.repeat(1_000_000))
    expect(await sizes(1)).toEqual([1])
    expect(await ask(['too large'], 'x'.repeat(2_100_000))).toEqual([false])
  })

  test('receives each finality vote once, for many rounds in one frame', async () => {
    const relay = await openReady()
    const votes = [1, 2, 3].map((n) => JSON.stringify({ n }))
    await together(() =>
      Promise.all([votes.slice(0, 2), votes.slice(1)].map((some) => link().tellFinality(some))),
    )
    expect(await relay.next()).toEqual({ type: 'finality', votes: [{ n: 1 }, { n: 2 }, { n: 3 }] })
    expect(await relay.drain()).toEqual([])
  })

  test('is not asked before it is ready, without a socket, or while four MiB wait unread', async () => {
    expect(await link().decide(requestOf('no socket'))).toBe(false)
    const { relay } = await openRelay(node)
    expect(await link().decide(requestOf('not ready'))).toBe(false)
    relay.ready(0, [], 'validator')
    await relay.drain()
    const large = 'x'.repeat(2_000_000)
    const asked = [1, 2, 3].map((n) => () => link().decide(requestOf(String(n), large)))
    const areTaken: boolean[] = []
    for (const ask of asked) areTaken.push(await ask())
    expect(areTaken).toEqual([true, true, false])
    relay.send({ type: 'decided', answers: [answerTo('1')] })
    await relay.drain()
    expect(await link().decide(requestOf('after an answer'))).toBe(true)
    relay.socket.close(closeCodes.normal)
    await relay.close()
    expect(await link().tellFinality(['{}'])).toBe(false)
  })

  test('can answer about rounds that its link forgot', async () => {
    const relay = await openReady()
    await link().decide(requestOf('one'))
    await relay.next()
    await evictDurableObject(link())
    relay.send({ type: 'decided', answers: [answerTo('one')] })
    await relay.drain()
    expect(rounds.calls).toHaveLength(1)
  })

  test('keeps its socket if its round does not answer: the round asks again', async () => {
    const relay = await openReady()
    rounds.areDown = true
    relay.send({ type: 'decided', answers: [answerTo('one')] })
    expect(await relay.drain()).toEqual([])
  })

  test('that sends invalid answers gets errors, and loses its socket after the third one', async () => {
    const relay = await openReady()
    rounds.problem = 'The vote is not a valid finality vote of this validator.'
    relay.send({ type: 'decided', answers: [answerTo('one'), answerTo('two')] })
    expect(await relay.next()).toEqual({ type: 'error', code: 'invalid_evidence', message: rounds.problem })
    relay.sendRaw(JSON.stringify({ type: 'decided', answers: [{ round_id: roundId('one'), vote: 'yes' }] }))
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'invalid_field' })
    relay.send({ type: 'decided', answers: [answerTo('three')] })
    expect(await relay.close()).toMatchObject({ code: closeCodes.policy })
  })

  test('that is also a miner gets offers and rounds on one socket', async () => {
    const miner = await createMiner()
    node = miner.device
    await insertNode(node, { role: 'validator' })
    const relay = await openReady(1)
    expect(await Promise.all([linkOf(node).offer(offerOf()), link().decide(requestOf('one'))])).toEqual([
      'offered',
      true,
    ])
    expect((await relay.drain()).map(({ type }) => type)).toEqual(['offer'])
    expect(await relay.next()).toMatchObject({ type: 'decide' })
  })

  test('is also asked with frames of version 1', async () => {
    const { relay_subprotocol: first } = profileStrings(resolveProfile())
    const headers = { ...(await upgradeHeaders(node)), 'Sec-WebSocket-Protocol': first }
    const relay = new RelaySocket((await client().get('/v1/relay', headers)).webSocket as WebSocket)
    await relay.next()
    relay.ready(0, [], 'validator')
    expect(await relay.drain()).toEqual([])
    expect(await link().decide(requestOf('one'))).toBe(true)
    expect(await relay.next()).toMatchObject({ type: 'decide' })
  })

  test('returns with its ticket without a database query, and is asked at once', async () => {
    const { hello } = await openRelay(node)
    await runDurableObjectAlarm(link())
    await evictDurableObject(link())
    const { db: DB, use } = countedDatabase()
    const ticket = hello.ticket ?? ''
    const { relay } = await openRelay(node, { ticket, caller: client({ bindings: { DB } }) })
    expect(use.roundTrips).toBe(0)
    relay.ready(0, [], 'validator')
    expect(await relay.drain()).toEqual([])
    expect(await link().decide(requestOf('one'))).toBe(true)
  })

  test('whose approval was withdrawn has no valid ticket; as a device it may return, but is not asked', async () => {
    const withdraw = async () => {
      const { hello } = await openRelay(node)
      await runSql("UPDATE nodes SET status = 'pending' WHERE node_id = ?", node.nodeId)
      await link().refresh()
      return hello.ticket ?? ''
    }
    const ticket = await withdraw()
    await expectRefusal(client().get('/v1/relay', await upgradeHeaders(node, ticket)), '403 forbidden', {
      details: { reason: 'not_bound' },
    })
    node = (await createMiner()).device
    await insertNode(node, { role: 'validator' })
    const { relay } = await openRelay(node, { ticket: await withdraw() })
    relay.ready(1, [], 'validator')
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'forbidden' })
    expect(await link().decide(requestOf('one'))).toBe(false)
    expect(await link().offer(offerOf())).toBe('offered')
  })

  test('whose approval ends is not asked again', async () => {
    const relay = await openReady()
    const operator = await createOperator()
    await operator.client.post(`/admin/v1/nodes/${node.nodeId}/revoke`)
    expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
    expect(await link().decide(requestOf('one'))).toBe(false)
  })
})

test('a device that is not an approved validator is asked about no round, and may not answer', async () => {
  const { device } = await createMiner()
  await insertNode(device)
  const { relay } = await openRelay(device)
  relay.ready(1, [], 'validator')
  expect(await relay.next()).toMatchObject({ type: 'error', code: 'forbidden' })
  expect(await linkOf(device).decide(requestOf('one'))).toBe(false)
  relay.send({ type: 'decided', answers: [answerTo('one')] })
  expect(await relay.next()).toMatchObject({ type: 'error', code: 'forbidden' })
  expect(rounds.calls).toEqual([])
  expect(await linkOf(device).offer(offerOf())).toBe('offered')
})
