import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { artifactOf, filler } from '../testing/node/artifacts.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import { helloFrame } from '../testing/node/link-hub.ts'
import {
  createHub,
  createMiner,
  createProcessStage,
  createRunning,
  createRunningProcess,
  createStage,
  publish,
  slow,
  take,
  untilStatus,
  votesIn,
} from '../testing/node/miner-stage.ts'
import { movableTime, passTenSeconds } from '../testing/node/serving-node.ts'

/** Runs on while the node or its database is dealt with. */
const slower = { ...slow, maxGas: 1_000_000_000 }
/** Runs for longer than any test. */
const endless = { ...slow, module: filler, maxGas: 10_000_000_000 }
const slowTask = { task: { gas_limit: slow.maxGas } }
const away = { status: 503, body: { error: 'unavailable', message: 'Come again.' } }

test('a vote says why its run failed', async () => {
  const [hub, module] = [await createHub(), artifactOf('failing', 'unreachable')]
  hub.hello = () => helloFrame({ frames: [4] })
  const miner = createMiner(hub)
  const project = publish(hub, miner, { module, functions: ['f'] })
  await miner.start()
  const socket = await hub.connection()
  await socket.next('ready')
  expect(await take(socket, project.offer(miner.key))).toMatchObject({
    ...{ output_b64: '', events: [], error: 'trap: unreachable' },
    vote: { receipt: { success: false } },
  })
})

describe('slots', () => {
  test('further offers are declined as busy, until a vote makes room', async () => {
    const { miner, project, socket } = await createStage({ ...slow, flags: ['--workers', '1'] })
    const [first, second, third] = [0, 1, 2].map((seq) => project.offer(miner.key, { seq, ...slowTask }))
    for (const offer of [first!, second!, third!]) socket.send(offer)
    expect(await socket.next('decline')).toMatchObject({ offer_id: second!.offer_id, reason: 'busy' })
    expect(await socket.next('decline')).toMatchObject({ offer_id: third!.offer_id, reason: 'busy' })
    expect(await socket.next('vote')).toMatchObject({ offer_id: first!.offer_id })
    await take(socket, project.offer(miner.key, { seq: 3 }))
  })

  test('a node that stops accepts no more offers, votes on running ones, and exits with 0', async () => {
    // A node that stops gives its runs ten seconds, so this one is short, also on a busy machine.
    const { miner, project, node, socket, offer } = await createRunningProcess()
    const stopped = node.stop()
    expect(await socket.next('ready')).toMatchObject({ slots: 0, holding: [offer.offer_id] })
    const late = project.offer(miner.key, { seq: 1 })
    socket.send(late)
    expect(await socket.next('decline')).toMatchObject({ offer_id: late.offer_id, reason: 'stopping' })
    expect(await socket.next('vote')).toMatchObject({ offer_id: offer.offer_id })
    expect([await stopped, await socket.closed]).toEqual([0, 1000])
  })
})

describe('one vote for each round, whatever happens to the connection', () => {
  test('a node that is killed with an unsent vote sends the same vote after its restart', async () => {
    const { hub, miner, node, socket, offer } = await createRunningProcess()
    hub.refusal = away
    socket.cut()
    await expect.poll(() => votesIn(miner.dataDir).length).toBe(1)
    await node.kill()
    const [stored] = votesIn(miner.dataDir)

    hub.refusal = null
    await miner.start()
    const again = await hub.connection()
    expect(await again.next('ready')).toMatchObject({ holding: [offer.offer_id] })
    expect(await again.next('accept')).toMatchObject({ offer_id: offer.offer_id })
    expect(await again.next('vote')).toMatchObject({ offer_id: offer.offer_id, vote: stored })
    // If the hub sends the offer again because it received no vote, it gets the same vote.
    again.send(offer)
    expect(await again.next('vote')).toMatchObject({ vote: stored })
    expect(votesIn(miner.dataDir)).toEqual([stored])
  })

  test('a node that is killed during a run holds nothing, and runs the offer when it is offered again', async () => {
    const { hub, miner, node, offer } = await createRunningProcess(slower)
    await node.kill()
    const back = await miner.start()
    const again = await hub.connection()
    expect(await again.next('ready')).toMatchObject({ holding: [] })
    await untilStatus(back, { recent_leases: [{ state: 'missed', reason: 'the node was stopped' }] })
    // Its time to accept has passed meanwhile: the hub knows that it was accepted.
    await take(again, { ...offer, accept_by: unixNow() - 5 })
    await untilStatus(back, { recent_leases: [{ offer_id: offer.offer_id, state: 'voted' }] })
  })

  test('a node on a restored directory offers no slots, so that it is not asked, until it may vote', async () => {
    const [hub, backup] = [await createHub(), path.join(temporaryFolder(), 'backup')]
    const miner = createMiner(hub)
    const run = async () => {
      const node = await miner.start()
      await (await hub.connection()).next('ready')
      await node.stop()
    }
    await run()
    cpSync(miner.dataDir, backup, { recursive: true })
    await run()
    rmSync(miner.dataDir, { recursive: true })
    cpSync(backup, miner.dataDir, { recursive: true })
    const restored = await miner.start(['--workers', '3'])
    const socket = await hub.connection()
    expect(await socket.next('ready')).toMatchObject({ slots: 0 })
    await untilStatus(restored, { slots: 0, votes_withheld_until: expect.any(Number) })
    hub.hello = () => helloFrame({ time: unixNow() + 400 })
    socket.cut()
    expect(await (await hub.connection()).next('ready')).toMatchObject({ slots: 3 })
    await untilStatus(restored, { slots: 3, votes_withheld_until: null })
  })

  test('after a cut connection, the node reconnects, reports the offer that it holds, and votes on it', async () => {
    const { hub, socket, offer } = await createRunning()
    socket.cut()
    const again = await hub.connection()
    expect(await again.next('ready')).toMatchObject({ holding: [offer.offer_id] })
    expect(await again.next('accept')).toMatchObject({ offer_id: offer.offer_id })
    expect(await again.next('vote')).toMatchObject({ offer_id: offer.offer_id })
  })

  test('an offer that comes twice runs once', async () => {
    const { node, socket, offer } = await createRunning()
    socket.send(offer)
    await socket.next('accept')
    const { vote } = await socket.next('vote')
    socket.send(offer)
    expect((await socket.next('vote')).vote).toEqual(vote)
    socket.send({ type: 'voted', offer_id: offer.offer_id, state: 'running' })
    await untilStatus(node, { counts: { executions: 1, votes: 1 }, active_leases: [] })
  })

  test('an offer that the hub has forgotten is run again, for the same vote', async () => {
    const { miner, project, node, socket } = await createStage()
    const offer = project.offer(miner.key)
    const first = await take(socket, offer)
    socket.send({ type: 'voted', offer_id: offer.offer_id, state: 'running' })
    await untilStatus(node, { active_leases: [] })
    expect(await take(socket, offer)).toEqual(first)
    expect(votesIn(miner.dataDir)).toEqual([first.vote])
  })

  test('a vote is sent again to a hub that cannot take it now, but not to one that refuses it', async () => {
    const { miner, project, node, socket } = await createStage()
    const offer = project.offer(miner.key)
    const { vote } = await take(socket, offer)
    const error = { type: 'error', offer_id: offer.offer_id } as const
    socket.send({ ...error, code: 'unavailable', message: 'Not now.' })
    expect((await socket.next('vote')).vote).toEqual(vote)
    socket.send({ ...error, code: 'invalid_evidence', message: 'The receipt is of another run.' })
    await untilStatus(node, {
      active_leases: [],
      recent_leases: [{ state: 'refused', reason: 'The receipt is of another run.' }],
      last_errors: [{ message: 'lease refused' }],
    })
  })

  test('an offer that the hub takes back gets no vote', async () => {
    const { miner, node, socket, offer } = await createRunning(endless)
    socket.send({ type: 'cancel', offer_id: offer.offer_id, reason: 'round_closed' })
    await untilStatus(node, {
      active_leases: [],
      recent_leases: [{ state: 'cancelled', reason: 'round_closed' }],
      queue: { running: 0 },
    })
    expect(votesIn(miner.dataDir)).toEqual([])
  })

  test('a run that does not end in time gets no vote', async () => {
    const frame = {
      get accept_by() {
        return unixNow() + 10
      },
      get vote_by() {
        return unixNow() + 10
      },
    }
    const { miner, node } = await createRunningProcess({ ...endless, ...movableTime }, frame)
    passTenSeconds(node)
    await untilStatus(node, {
      active_leases: [],
      recent_leases: [{ state: 'missed', reason: 'the run did not end in time' }],
      queue: { running: 0 },
    })
    expect(votesIn(miner.dataDir)).toEqual([])
  })
})

describe('a data directory that cannot be written', () => {
  /** Another program keeps the database for itself, until it is told to let go. */
  const hold = (dataDir: string) => {
    const db = new DatabaseSync(path.join(dataDir, 'node.sqlite'))
    db.exec('BEGIN IMMEDIATE')
    return () => db.close()
  }

  test('the vote of a run that cannot be stored is not sent; the node says why, and goes on', async () => {
    const { miner, project, node, socket, offer } = await createRunningProcess(slower)
    const letGo = hold(miner.dataDir)
    expect(await socket.next('decline')).toMatchObject({ offer_id: offer.offer_id, reason: 'busy' })
    await expect
      .poll(() => node.log())
      .toContainEqual(
        expect.objectContaining({
          level: 'error',
          message: 'offer declined',
          problem: 'the data directory cannot be used: database is locked',
        }),
      )
    letGo()
    expect(votesIn(miner.dataDir)).toEqual([])
    const next = await take(socket, project.offer(miner.key, { seq: 1 }))
    expect(votesIn(miner.dataDir)).toEqual([next.vote])
    expect(await node.stop()).toBe(0)
  })

  test('an offer whose lease cannot be stored is not accepted', async () => {
    const { miner, project, socket } = await createProcessStage()
    // After this task the node has all that the next offer needs, so its lease is the first write.
    await take(socket, project.offer(miner.key))
    const letGo = hold(miner.dataDir)
    const offer = project.offer(miner.key, { seq: 1 })
    socket.send(offer)
    expect(await socket.next('decline')).toMatchObject({ offer_id: offer.offer_id, reason: 'busy' })
    expect(socket.unread()).toEqual([])
    letGo()
    await take(socket, offer)
  })
})
