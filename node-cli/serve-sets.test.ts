import { describe, expect, test } from 'vitest'
import { hashSnapshot, isSnapshotAttested, type Snapshot } from '../protocol/committees/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { deriveSubscriptionId } from '../protocol/identity/index.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { expectLogged, token } from '../testing/node/serving-node.ts'
import { createTestProject, profile } from '../testing/node/test-project.ts'
import {
  attestSet,
  problemsOf,
  refused,
  sharedValidator,
  startOneProcess,
} from '../testing/node/validator-calls.ts'
import {
  callSigned,
  createValidators,
  startKnowing,
  startTestHub,
  validatorSeeds,
} from '../testing/node/validator-network.ts'

const { withProject, attesting } = sharedValidator()

test('nodectl status shows what a validator takes part in', async () => {
  const { node } = await attesting()
  const { code, stdout } = await nodectlHere(['status', '--url', node.url], {
    env: { NODE_API_TOKEN: token },
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^votes +one of 4 validators \(generation 0\), 3 are a quorum; sets are not checked against the chain \(--chain-rpc\)$/m,
  )
  expect(stdout).toMatch(/^epochs +open 0, settled 0$/m)
  expect(stdout).toMatch(/^counts .*sets \d+, rounds 0, final_rounds 0, evidence 0$/m)
})

describe('POST /consensus/committee-sets', () => {
  test('attests a set once, and no other of its epoch, also after it was killed', async () => {
    const { project, node, validator } = await startOneProcess()
    const bring = (snapshot: Snapshot) => attestSet(node, { snapshot })
    const first = await bring(project.snapshot)
    expect([first.status, first.json]).toEqual([
      200,
      { node_id: node.node_id, public_key: node.public_key, signature: expect.any(String) },
    ])
    expect(isSnapshotAttested(profile, project.setHash, [first.json], [node.public_key])).toBe(true)
    expect((await bring(project.snapshot)).json).toEqual(first.json)

    const other = { ...project.snapshot, entries: project.snapshot.entries.slice(1) }
    const conflict = await bring(other)
    expect(problemsOf(conflict)).toEqual(refused(''))
    expect(conflict.json.message).toContain(project.setHash)

    await node.kill()
    const again = await startKnowing(validator)
    expect((await attestSet(again, project)).json).toEqual(first.json)
    expect((await callSigned(again, '/consensus/committee-sets', other)).status).toBe(422)
    expect((await again.call('/status', { token: null })).json.counts).toMatchObject({ sets: 1 })
  })

  test('refuses a set that breaks a rule, names every error, and attests nothing', async () => {
    const { project, hub, node } = withProject()
    const { snapshot } = project
    const attested = async () => (await node.call('/status')).json.counts.sets
    const before = await attested()
    const [first, second] = snapshot.entries
    const lies: [object, ...string[]][] = [
      [{ ...snapshot, network: 'other' }, 'network'],
      [{ ...snapshot, params_hash: hashText('other') }, 'params_hash'],
      [{ ...snapshot, min_collateral: '1' }, 'min_collateral'],
      [{ ...snapshot, weight_cap: '1', epoch_secs: 7_200 }, 'epoch_secs', 'weight_cap', 'epoch'],
      [{ ...snapshot, beacon: { ...snapshot.beacon, value: hashText('chosen') } }, 'beacon.value'],
      [{ ...snapshot, epoch: snapshot.epoch + 2 }, 'epoch'],
      [{ ...snapshot, epoch: snapshot.epoch - 2 }, 'epoch'],
      [
        { ...snapshot, entries: [{ ...first, owner: `0x${'ab'.repeat(20)}`, collateral: '5' }, second] },
        'entries[0].collateral',
        'entries[0].subscription_id',
      ],
      [{ ...snapshot, entries: [second, first] }, 'entries'],
      [{ ...snapshot, entries: [first, first] }, 'entries'],
      [{ ...snapshot, entries: [{ ...first, reputation: 20_000 }] }, 'entries[0].reputation'],
      [{ ...snapshot, extra: 1 }, ''],
      [{ ...snapshot, epoch: 1.5 }, 'epoch'],
      [{ ...snapshot, consensus_hash: hashText('other rules') }, 'consensus_hash'],
    ]
    for (const [lie, ...paths] of lies)
      expect(problemsOf(await callSigned(node, '/consensus/committee-sets', lie))).toEqual(refused(...paths))

    const cheap = createTestProject({ work: { round_secs: 600 } })
    const { manifest } = cheap.envelope
    hub.show(`/v1/projects/${project.projectId}/manifest`, { ...project.envelope, manifest })
    const unsigned = { ...cheap.snapshot, project_id: project.projectId }
    expect(problemsOf(await callSigned(node, '/consensus/committee-sets', unsigned))).toEqual(
      refused('consensus_hash'),
    )
    expect(await attested()).toBe(before)
    expect((await attestSet(node, project)).status).toBe(200)
  })

  test('accepts a set that is larger than other bodies may be', async () => {
    const { project, node } = withProject()
    const owner = `0x${'ab'.repeat(20)}`
    const entries = Array.from({ length: 6_000 }, (_, i) => hashText(`node ${i}`))
      .sort()
      .map((key) => ({
        ...project.snapshot.entries[0]!,
        node_key: key,
        subscription_id: deriveSubscriptionId(project.projectId, owner, key),
        owner,
      }))
    const large = { ...project.snapshot, entries }
    expect(JSON.stringify(large).length).toBeGreaterThan(2 * 1024 * 1024)
    const { status, json } = await callSigned(node, '/consensus/committee-sets', large)
    expect(status).toBe(200)
    expect(isSnapshotAttested(profile, hashSnapshot(large), [json], [node.public_key])).toBe(true)
  })

  test('503 if the hub does not provide the rules', async () => {
    const { project, hub, node } = withProject()
    hub.answers.set(`/v1/projects/${project.projectId}/manifest`, (_, response) => void response.destroy())
    const reply = await attestSet(node, project)
    expect([reply.status, reply.json.error, reply.headers['retry-after']]).toEqual([503, 'unavailable', '5'])
  })
})

test('a validator that cannot reach itself at its URL reports it', async () => {
  const hub = await startTestHub(createTestProject())
  const [validator, other] = await createValidators(hub)
  const node = await validator!.start([], { nodeUrl: other!.url })
  const problem = async () => (await node.call('/status')).json.consensus
  await expect.poll(problem).toMatchObject({ reachable: false, problem: 'the connection is refused' })
  expectLogged(node, {
    level: 'warn',
    message: 'others may not reach this validator',
    url: other!.url,
  })
  await node.stop()
  await validator!.start()
  const wrong = await other!.start([], { nodeUrl: validator!.url })
  await expect
    .poll(async () => (await wrong.call('/status')).json.consensus.problem)
    .toBe(`another node, ${node.node_id}, answers there`)
})

describe('callers of a node', () => {
  test('only the coordinator brings work, validators bring votes and read, and each request is taken once', async () => {
    const { project, node } = withProject()
    const peer = { seed: validatorSeeds[1]! }
    const stranger = { seed: hashText('stranger') }
    const sent = [
      await callSigned(node, '/consensus/committee-sets', project.snapshot, peer),
      await callSigned(node, '/consensus/task-rounds', {}, peer),
      await callSigned(node, '/consensus/votes', {}, stranger),
      await callSigned(node, '/consensus/rounds', undefined, stranger),
    ]
    expect(sent.map(({ status, json }) => [status, json.error])).toEqual(
      Array.from({ length: 4 }, () => [403, 'forbidden']),
    )
    expect((await callSigned(node, '/consensus/rounds', undefined, peer)).status).toBe(200)
    const once = { ...peer, nonce: 'ab'.repeat(16) }
    expect((await callSigned(node, '/consensus/rounds', undefined, once)).status).toBe(200)
    expect((await callSigned(node, '/consensus/rounds', undefined, once)).status).toBe(401)
    expect((await node.call('/consensus/rounds', { token: null })).status).toBe(401)
    expect((await node.call('/consensus/evidence', { token: null })).json).toEqual({
      items: [],
      next_cursor: null,
    })
    expect((await node.call('/consensus/rounds/task:0x00', { token: null })).status).toBe(400)
    const unknown = `/consensus/rounds/task:${hashText('none')}`
    expect((await node.call(unknown, { token: null })).status).toBe(404)
    for (const query of ['epoch=1', 'limit=51', 'cursor=x', `project_id=${hashText('p')}&epoch=x`])
      expect((await callSigned(node, `/consensus/rounds?${query}`)).status).toBe(400)
  })
})
