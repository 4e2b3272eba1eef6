import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { beaconTargetTime } from '../protocol/committees/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../protocol/identity/index.ts'
import { hasSeat, parseTaskVote } from '../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import {
  artifactOf,
  collector,
  echo,
  shouter,
  spinner,
  type TestArtifact,
} from '../testing/node/artifacts.ts'
import { bytes, type HubAnswer, json, type LinkHub } from '../testing/node/link-hub.ts'
import {
  otherKeys,
  payoutOf,
  type TestProject,
  unixNow,
  validatorSeeds,
} from '../testing/node/miner-project.ts'
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
import { buildNodectl, nodectl, temporaryFolder } from '../testing/node/nodectl.ts'

beforeAll(buildNodectl)

const profile = resolveProfile()

describe('an offer that holds', () => {
  test('is accepted, run and voted on: the vote is that of nodectl run, under the seat of the node', async () => {
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
    const ran = JSON.parse((await nodectl(['run', file, 'echo', '--input', '{"msg":"hi"}'])).stdout)
    const vote = parseTaskVote(profile, frame.vote)
    expect(vote.receipt_hash).toBe(ran.receipt.receipt.receipt_hash)
    expect(vote).toMatchObject({
      task: offer.task,
      payout_address: payoutOf(miner.key),
      public_key: miner.key,
    })
    expect(hasSeat(project.seated(offer.task.seq), vote)).toBe(true)
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

  test('its input may lie at the hub, and is asked for there alone', async () => {
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

  test('of a version that is no longer in force is judged by its own rules', async () => {
    const { hub, miner, project, socket } = await createStage()
    const { id, consensus, manifestOf, snapshot } = project
    const newer = { ...consensus, work: { ...consensus.work, functions: ['other'] } }
    hub.answers.set(`GET /v1/projects/${id}/manifest`, json(manifestOf(newer)))
    hub.answers.set(
      `GET /v1/projects/${id}/versions?limit=200`,
      json({
        items: [{ version: 2, consensus_hash: hashText('newer') }],
        next_cursor: 'next page',
      }),
    )
    hub.answers.set(
      `GET /v1/projects/${id}/versions?limit=200&cursor=next%20page`,
      json({ items: [{ version: 1, consensus_hash: snapshot.consensus_hash }], next_cursor: null }),
    )
    hub.answers.set(`GET /v1/projects/${id}/versions/1`, json({ signed_manifest: manifestOf(consensus) }))
    expect(await take(socket, project.offer(miner.key))).toMatchObject({ type: 'vote' })
  })

  test('is judged again for as long as it may be accepted, where the hub cannot give what that takes', async () => {
    const { hub, miner, project, socket } = await createStage({ module: spinner, functions: ['f'] })
    const { id, snapshot } = project
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

  test('is not answered while the hub does not give what its judgement takes, since a decline would be blamed', async () => {
    const { hub, miner, project, node, socket } = await createStage()
    const { id, snapshot } = project
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

  test('is not answered while the hub does not say who validates, since an emergency may have replaced those that signed', async () => {
    const { hub, miner, project, node } = await createStage({ attestedBy: 2 })
    await node.stop()
    const target = hub.requests.find((one) => one.startsWith('GET /v1/validators/generations'))!
    hub.answers.set(target, json({ error: 'unavailable', message: 'Try again shortly.' }, 503))
    const again = await miner.start()
    const socket = await hub.connection()
    await socket.next('ready')
    const offer = project.offer(miner.key)
    socket.send(offer)
    await untilStatus(again, { last_refusal: { offer_id: offer.offer_id, reason: 'busy' } })
    await status(again)
    expect(socket.unread()).toEqual([])
    expect((await status(again)).last_refusal.problem).toContain('the hub does not say')
  })

  test.each([
    ['five validators follow four', [0, 1, 2, 3, 4]],
    ['six follow four', [0, 1, 2, 3, 4, 5]],
    ['two of four are replaced', [2, 3, 4, 5]],
  ])('of an epoch that began before is accepted when %s', async (_, after) => {
    const hub = await createHub()
    const miner = createMiner(hub)
    const project = publish(hub, miner)
    const { epoch, epoch_secs } = project.snapshot
    const target = beaconTargetTime(epoch, epoch_secs, defaultNetworkParams)
    const seeds = after.map((i) => validatorSeeds[i] ?? hashText(`validator ${i}`))
    hub.generations.add(seeds, { effectiveAt: target + 1 })
    await miner.start()
    const socket = await hub.connection()
    await socket.next('ready')
    expect(await take(socket, project.offer(miner.key))).toMatchObject({ type: 'vote' })

    // The same set, were the epoch one of theirs, lacks a quorum.
    const other = createMiner(hub)
    const offer = publish(hub, other, { attestedBy: 2 }).offer(other.key)
    hub.generations.chain.splice(1)
    hub.generations.add(seeds, { effectiveAt: target })
    const node = await other.start()
    const second = await hub.connection()
    await second.next('ready')
    second.send(offer)
    expect(await second.next('decline')).toMatchObject({ reason: 'incompatible' })
    expect((await status(node)).last_refusal.problem).toContain('no quorum of generation 1')
  })

  test('a failed run is voted on too', async () => {
    const { miner, project, socket } = await createStage({ module: spinner, functions: ['f'] })
    const frame = await take(socket, project.offer(miner.key))
    expect(frame).toMatchObject({ output_b64: '', events: [], vote: { receipt: { success: false } } })
  })
})

test('an offer whose result no frame carries is declined after the run, and its slot is free', async () => {
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

describe('an offer that does not hold is declined, and nothing is signed', () => {
  const stranger = ed25519PublicKey(`0x${'77'.repeat(32)}`)
  const unknown = artifactOf('unknown', '(i64.const 0)')
  const never: TestArtifact = { ...echo, address: hashText('never uploaded') }

  interface Lie {
    readonly project?: Parameters<typeof publish>[2]
    readonly offer?: Parameters<TestProject['offer']>[1]
    readonly hub?: (hub: LinkHub, project: TestProject) => void
    readonly reason?: string
    readonly problem: string
  }
  const lies: Readonly<Record<string, Lie>> = {
    'the input of another task': {
      offer: { frame: { input_b64: Buffer.from('other').toString('base64') } },
      problem: 'the input has another hash than the task',
    },
    'an input elsewhere': {
      offer: { frame: { input_url: 'https://elsewhere.example/secret' } },
      problem: 'the input is to be read from https://elsewhere.example, which is not the hub',
    },
    'an input behind the firewall of the node': {
      offer: { frame: { input_url: 'http://127.0.0.1:9/secret' } },
      problem: 'the input is to be read from http://127.0.0.1:9, which is not the hub',
    },
    'an input that is not there': {
      hub: (hub) =>
        hub.answers.set('GET /v1/inputs/2', json({ error: 'not_found', message: 'Nothing is there.' }, 404)),
      offer: { frame: { input_url: 'ORIGIN/v1/inputs/2' } },
      problem: 'the hub does not have the input that it names',
    },
    'an input that is too large': {
      hub: (hub) => hub.answers.set('GET /v1/inputs/3', bytes(new Uint8Array(1024 * 1024 + 1))),
      offer: { frame: { input_url: 'ORIGIN/v1/inputs/3' } },
      problem: 'sent more than 1048576 bytes',
    },
    'a set without a quorum': {
      project: { attestedBy: 2 },
      problem: 'no quorum of generation 0 of the validators has signed the set of the epoch',
    },
    'a set of another network': {
      project: { set: { network: 'other' } },
      problem: 'the set belongs to the network other',
    },
    'a set under other parameters': {
      project: { set: { params_hash: hashText('other') } },
      problem: 'the set was built under other parameters of the network',
    },
    'a set that differs from the one that was signed': {
      hub: (hub, { id, snapshot, attestedSet }) =>
        hub.answers.set(
          `GET /v1/committees/${id}/${snapshot.epoch}`,
          json({
            ...attestedSet,
            snapshot: { ...snapshot, entries: snapshot.entries.map((one) => ({ ...one, reputation: 9000 })) },
          }),
        ),
      problem: 'the attested set of the epoch is',
    },
    'no set': {
      hub: (hub, { id, snapshot }) => hub.answers.delete(`GET /v1/committees/${id}/${snapshot.epoch}`),
      problem: 'the hub has no attested set for the epoch',
    },
    'a set that is none': {
      hub: (hub, { id, snapshot }) =>
        hub.answers.set(
          `GET /v1/committees/${id}/${snapshot.epoch}`,
          json({ snapshot: {}, attestations: [] }),
        ),
      problem: 'the set of the epoch is not acceptable',
    },
    'another set than that of the epoch': {
      offer: { task: { set_hash: hashText('other') } },
      problem: 'the attested set of the epoch is',
    },
    'the set of another epoch': {
      offer: { task: { epoch: 1 } },
      problem: 'the hub has no attested set for the epoch',
    },
    'a set without this node': {
      project: { nodeKeys: [stranger, ...otherKeys(2)] },
      problem: 'this node is not drawn for the task',
    },
    'another place in the draw': {
      offer: { frame: { position: 40 } },
      problem: ', not as primary at 40',
    },
    'another role': {
      offer: { frame: { role: 'backup' } },
      problem: 'this node is drawn as primary',
    },
    'rules that the hub does not have': {
      // No other project has these.
      project: { functions: ['echo', 'other'] },
      hub: (hub, { id }) => {
        hub.answers.set(`GET /v1/projects/${id}/manifest`, json({ manifest: { consensus: { work: {} } } }))
        hub.answers.set(`GET /v1/projects/${id}/versions?limit=200`, json({ items: [], next_cursor: null }))
      },
      problem: 'the hub has no version of the project with the rules',
    },
    'rules that the set is not for': {
      offer: { task: { consensus_hash: hashText('other') } },
      problem: 'the set is for the rules',
    },
    'another module than the worker': {
      offer: { task: { module_address: unknown.address } },
      problem: `module_address must be ${echo.address}`,
    },
    'a function that is no work of the project': {
      offer: { task: { function: 'steal' } },
      problem: 'function must be one of echo',
    },
    'more gas than the project allows': {
      offer: { task: { gas_limit: 100_000_001 } },
      problem: 'gas_limit must be from 1 to 100000000',
    },
    'a task of the time before its epoch': {
      offer: { task: { issued_at: 7200 } },
      problem: 'issued_at must be from',
    },
    'a task of the future': {
      offer: { task: { issued_at: unixNow() + 4000 } },
      problem: "s ahead of this node's clock",
    },
    'a module that nobody has': {
      project: { module: never },
      hub: (hub) => hub.answers.delete(`GET /v1/modules/${never.address}/hbc`),
      reason: 'unknown_module',
      problem: `the hub has no module ${never.address}`,
    },
    'another module under the address': {
      project: { module: never },
      reason: 'unknown_module',
      problem: 'has the address',
    },
    'a module that is none': {
      project: { module: { ...never, bytes: new Uint8Array(10) } },
      reason: 'unknown_module',
      problem: 'is not valid:',
    },
    'a module with storage': {
      project: { module: collector, functions: ['f'] },
      problem: 'the module uses storage or calls others',
    },
    'a function that the module lacks': {
      project: { functions: ['missing'] },
      problem: 'the module does not export missing',
    },
    'an offer that is late': {
      offer: { frame: { accept_by: unixNow() - 5 } },
      reason: 'busy',
      problem: 'it came too late to be accepted',
    },
  }

  // One node for all: what it has declined does not keep it from work.
  test('each for its reason', async () => {
    const hub = await createHub()
    const miner = createMiner(hub)
    const node = await miner.start(['--workers', '1'])
    const socket = await hub.connection()
    await socket.next('ready')
    for (const [seq, [name, lie]] of Object.entries(lies).entries()) {
      // Each with a set of its own, so that nothing is known before.
      const beacon = { block_number: seq, block_hash: hashText(name), value: hashText(`value ${name}`) }
      const { set = {}, ...options } = lie.project ?? {}
      const project = publish(hub, miner, { ...options, set: { beacon, ...set } })
      lie.hub?.(hub, project)
      const { frame = {}, ...rest } = lie.offer ?? {}
      const input_url = (frame.input_url as string | undefined)?.replace('ORIGIN', hub.origin)
      const offer = project.offer(miner.key, {
        seq,
        ...rest,
        frame: { ...frame, ...(input_url !== undefined && { input_url }) },
      })
      socket.send(offer)
      const { reason = 'incompatible', problem } = lie
      const declined = await socket.next('decline')
      const { last_refusal } = await status(node)
      expect(declined, name).toEqual({ type: 'decline', offer_id: offer.offer_id, reason })
      expect(last_refusal, name).toEqual({
        offer_id: offer.offer_id,
        reason,
        problem: expect.stringContaining(problem),
        at: expect.any(Number),
      })
    }
    expect(votesIn(miner.dataDir)).toEqual([])
    expect(hub.requests.filter((one) => one.includes('secret'))).toEqual([])
    const honest = publish(hub, miner)
    expect(await take(socket, honest.offer(miner.key))).toMatchObject({ type: 'vote' })
  })
})
