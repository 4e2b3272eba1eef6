import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { beaconTargetTime } from '../protocol/committees/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../protocol/identity/index.ts'
import { hasSeat, parseTaskVote } from '../protocol/rounds/index.ts'
import { echo, shouter, spinner } from '../testing/node/artifacts.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import { bytes, type HubAnswer, json } from '../testing/node/link-hub.ts'
import {
  createHub,
  createMiner,
  createStage,
  publish,
  status,
  take,
  untilStatus,
  votesIn,
} from '../testing/node/miner-stage.ts'
import { inDatabase } from '../testing/node/node-database.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import type { ServingNode } from '../testing/node/serving-node.ts'
import { seatedOf } from '../testing/node/test-project.ts'

const profile = resolveProfile()

describe('a valid offer', () => {
  test('is accepted, run and voted on, with the receipt of nodectl run and the seat of the node', async () => {
    const { miner, project, node, socket, ready } = await createStage({ flags: ['--workers', '3'] })
    expect(ready).toEqual({
      type: 'ready',
      slots: 3,
      engine: 'native',
      nodectl_version: '1.0.0',
      holding: [],
    })
    const offer = project.offer(miner.key)
    const frame = await take(socket, offer)

    const file = path.join(temporaryFolder(), 'echo.hbc')
    writeFileSync(file, echo.bytes)
    const ran = JSON.parse((await nodectlHere(['run', file, 'echo', '--input', '{"msg":"hi"}'])).stdout)
    const vote = parseTaskVote(profile, frame.vote)
    expect(vote.receipt_hash).toBe(ran.receipt.receipt.receipt_hash)
    expect(vote).toMatchObject({
      task: offer.task,
      payout_address: project.snapshot.entries.find(({ node_key }) => node_key === miner.key)!.payout_address,
      public_key: miner.key,
    })
    expect(hasSeat(seatedOf(project, offer.task.seq), vote)).toBe(true)
    expect(Buffer.from(frame.output_b64, 'base64').toString()).toBe(ran.output)
    expect(frame.events).toEqual(ran.receipt.receipt.events)
    expect(votesIn(miner.dataDir)).toEqual([vote])

    await untilStatus(node, { active_leases: [{ offer_id: offer.offer_id, state: 'voted' }] })
    socket.send({ type: 'voted', offer_id: offer.offer_id, state: 'running' })
    await untilStatus(node, {
      relay: { connected: true, state: 'connected', session_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
      slots: 3,
      active_leases: [],
      recent_leases: [
        {
          offer_id: offer.offer_id,
          round_id: vote.round_id,
          position: offer.position,
          role: offer.role,
          deadline: offer.vote_by,
          state: 'counted',
        },
      ],
    })
    const { text } = await node.call('/metrics')
    for (const line of [
      'nodectl_offers_total{answer="accepted"} 1',
      'nodectl_leases_total{state="counted"} 1',
      'nodectl_relay_connected 1',
    ])
      expect(text).toContain(`${line}\n`)
    const told = node.log().filter(({ round_id }) => round_id === vote.round_id)
    expect(told.map(({ message }) => message)).toEqual(['offer accepted', 'executed', 'lease counted'])
  })

  test('leaves a receipt that goes after a week, and a vote that stays', async () => {
    const { miner, project, node, socket } = await createStage()
    for (const seq of [0, 1]) await take(socket, project.offer(miner.key, { seq }))
    const receipts = async (of: ServingNode) => (await of.call('/ledger')).json.receipts.length
    expect(await receipts(node)).toBe(2)
    await node.stop()
    inDatabase(miner.dataDir, (db) => db.exec('UPDATE task_data SET created_at = created_at - 8 * 86400'))
    const again = await miner.start()
    await expect.poll(() => receipts(again)).toBe(1)
    expect(votesIn(miner.dataDir)).toHaveLength(2)
  })

  test('may store its input at the hub, and the input is requested only there', async () => {
    const { hub, miner, project, socket } = await createStage()
    const input = 'x'.repeat(300_000)
    hub.answers.set('GET /v1/inputs/1?signed=yes', bytes(Buffer.from(input)))
    // The hub may call itself by another name of this machine than the node does.
    const input_url = `${hub.origin.replace('localhost', '127.0.0.1')}/v1/inputs/1?signed=yes`
    const offer = project.offer(miner.key, { input, frame: { input_url } })
    expect(await take(socket, offer)).toMatchObject({
      vote: { receipt: { input_hash: offer.task.input_hash } },
    })
    expect(hub.requests).toContain('GET /v1/inputs/1?signed=yes')
  })

  test('of a version that is no longer in force is judged by the rules of that version', async () => {
    const { hub, miner, project, socket } = await createStage()
    const { projectId: id, consensus, manifestOf, snapshot } = project
    const newer = { ...consensus, work: { ...consensus.work, functions: ['other'] } }
    hub.answers.set(`GET /v1/projects/${id}/manifest`, json(manifestOf(newer)))
    hub.answers.set(
      `GET /v1/projects/${id}/versions?limit=200`,
      json({ items: [{ version: 2, consensus_hash: hashText('newer') }], next_cursor: 'next page' }),
    )
    hub.answers.set(
      `GET /v1/projects/${id}/versions?limit=200&cursor=next%20page`,
      json({ items: [{ version: 1, consensus_hash: snapshot.consensus_hash }], next_cursor: null }),
    )
    hub.answers.set(`GET /v1/projects/${id}/versions/1`, json({ signed_manifest: manifestOf(consensus) }))
    expect(await take(socket, project.offer(miner.key))).toMatchObject({ type: 'vote' })
  })

  test('is judged again until it expires, if the hub cannot provide the data to judge it', async () => {
    const { hub, miner, project, socket } = await createStage({ module: spinner, functions: ['f'] })
    const { projectId: id, snapshot } = project
    const module = `GET /v1/modules/${spinner.address}/hbc`
    const failures: [string, HubAnswer][] = [
      [`GET /v1/committees/${id}/${snapshot.epoch}`, json({ error: 'unavailable', message: 'Later.' }, 503)],
      [`GET /v1/projects/${id}/manifest`, json({ error: 'rate_limited', message: 'Slower.' }, 429)],
      [module, (request) => void request.socket.destroy()],
    ]
    for (const [target, fail] of failures) {
      const answer = hub.answers.get(target)!
      hub.answers.set(target, (...call) => {
        hub.answers.set(target, answer)
        fail(...call)
      })
    }
    const accept_by = unixNow() + 60
    const frame = { accept_by, vote_by: accept_by }
    expect(await take(socket, project.offer(miner.key, { frame }))).toMatchObject({ type: 'vote' })
    expect(hub.requests.filter((one) => one === module)).toHaveLength(2)
  })

  test('is not answered while the hub does not provide the data to judge it, since a decline would be blamed', async () => {
    const { hub, miner, project, node, socket } = await createStage()
    const { projectId: id, snapshot } = project
    const target = `GET /v1/committees/${id}/${snapshot.epoch}`
    const answer = hub.answers.get(target)!
    hub.answers.set(target, (_, response) => {
      response.writeHead(429, { 'Retry-After': '3600' }).end('{"error":"rate_limited","message":"Slower."}')
    })
    const offer = project.offer(miner.key)
    socket.send(offer)
    await untilStatus(node, { last_refusal: { offer_id: offer.offer_id, reason: 'busy' } })
    // Had it declined, that would have come by now.
    await status(node)
    expect(socket.unread()).toEqual([])
    // The same again is judged again.
    hub.answers.set(target, answer)
    await take(socket, offer)
  })

  test('is not answered while the hub does not list the validators, as an emergency may have replaced the signers', async () => {
    const { hub, miner, project, node } = await createStage({ attestedBy: 2 })
    await untilStatus(node, { generations: { newest: 0 } })
    await node.stop()
    const target = hub.requests.find((one) => one.startsWith('GET /v1/validators/generations'))!
    hub.answers.set(target, json({ error: 'unavailable', message: 'Try again shortly.' }, 503))
    const again = await miner.start()
    const socket = await hub.connection()
    await socket.next('ready')
    // The node asks the hub until then.
    const offer = project.offer(miner.key, { frame: { accept_by: unixNow() + 10 } })
    socket.send(offer)
    await untilStatus(again, { last_refusal: { offer_id: offer.offer_id, reason: 'busy' } })
    await status(again)
    expect(socket.unread()).toEqual([])
    expect((await status(again)).last_refusal.problem).toContain('the hub does not say')
  })

  test.each([
    ['five validators follow four', [0, 1, 2, 3, 4]],
    ['six validators follow four', [0, 1, 2, 3, 4, 5]],
    ['two of four validators are replaced', [2, 3, 4, 5]],
  ])('of an epoch that began before the change is accepted when %s', async (_, after) => {
    const hub = await createHub()
    const miner = createMiner(hub)
    const project = publish(hub, miner)
    const { epoch, epoch_secs } = project.snapshot
    const target = beaconTargetTime(epoch, epoch_secs, defaultNetworkParams)
    const seeds = after.map((i) => hashText(`validator ${i}`))
    hub.generations.add(seeds, { effectiveAt: target + 1 })
    await miner.start()
    const socket = await hub.connection()
    await socket.next('ready')
    expect(await take(socket, project.offer(miner.key))).toMatchObject({ type: 'vote' })

    // The same set, were the epoch one of theirs, lacks a quorum.
    const other = createMiner(hub)
    const late = publish(hub, other, { attestedBy: 2 })
    hub.generations.chain.splice(1)
    hub.generations.add(seeds, { effectiveAt: target })
    const node = await other.start()
    const second = await hub.connection()
    await second.next('ready')
    second.send(late.offer(other.key))
    expect(await second.next('decline')).toMatchObject({ reason: 'incompatible' })
    expect((await status(node)).last_refusal.problem).toContain('no quorum of generation 1')
  })

  test('a failed run is voted on too', async () => {
    const { miner, project, socket } = await createStage({ module: spinner, functions: ['f'] })
    const frame = await take(socket, project.offer(miner.key))
    expect(frame).toMatchObject({ output_b64: '', events: [], vote: { receipt: { success: false } } })
  })
})

test('an offer whose result is too large for a frame is declined after the run, and its slot is free', async () => {
  const { miner, project, node, socket } = await createStage({ module: shouter, functions: ['f'] })
  const offer = project.offer(miner.key, { task: { gas_limit: 100_000_000 } })
  const { offer_id } = offer
  socket.send(offer)
  expect(await socket.next('accept')).toEqual({ type: 'accept', offer_id })
  expect(await socket.next('decline')).toEqual({ type: 'decline', offer_id, reason: 'incompatible' })
  await untilStatus(node, {
    active_leases: [],
    recent_leases: [
      { state: 'missed', reason: expect.stringContaining('output and events are too large to be sent') },
    ],
  })
})
