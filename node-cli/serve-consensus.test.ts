import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashSnapshot, isSnapshotAttested, type Snapshot } from '../protocol/committees/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { hashReceipt } from '../protocol/execution/index.ts'
import { deriveSubscriptionId } from '../protocol/identity/index.ts'
import {
  createFinalityVote,
  createTaskVote,
  type FinalityRecord,
  finalRecord,
  hashFinality,
  parseFinalityVote,
  seatCommittee,
} from '../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { checkEvidence, type Evidence } from '../protocol/slashing/index.ts'
import { echo, spinner } from '../testing/node/artifacts.ts'
import { buildNodectl, nodectl, temporaryFolder } from '../testing/node/nodectl.ts'
import { type Reply, token } from '../testing/node/serving-node.ts'
import {
  attestedSet,
  createTestProject,
  createTestRound,
  finalityRequest,
  params,
  profile,
  rightReceipt,
  type TestProject,
  type TestRound,
  wrongReceipt,
} from '../testing/node/test-project.ts'
import {
  callSigned,
  createValidators,
  showArtifact,
  startKnowing,
  startTestHub,
  validatorSeeds,
} from '../testing/node/validator-network.ts'

beforeAll(buildNodectl)

const keys = validatorSeeds.map(ed25519PublicKey)

/** One validator of four, that runs, and its hub. */
async function startOne(project: TestProject = createTestProject(), flags: string[] = []) {
  const hub = await startTestHub(project)
  const [validator, ...others] = await createValidators(hub)
  const node = await startKnowing(validator!, 4, flags)
  return { project, hub, node, validator: validator!, others }
}

/** The same, which has attested the set of the project. */
async function startAttesting(project?: TestProject) {
  const started = await startOne(project)
  const { status } = await callSigned(started.node, '/consensus/committee-sets', started.project.snapshot)
  expect(status).toBe(200)
  return started
}

test('nodectl status shows what a validator takes part in', async () => {
  const { node } = await startAttesting()
  const { code, stdout } = await nodectl(['status', '--url', node.url], { env: { NODE_API_TOKEN: token } })
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^votes +one of 4 validators \(generation 0\), 3 are a quorum; sets are not checked against the chain \(--chain-rpc\)$/m,
  )
  expect(stdout).toMatch(/^epochs +open 0, settled 0$/m)
  expect(stdout).toMatch(/^counts .*sets 1, rounds 0, final_rounds 0, evidence 0$/m)
})

const decide = (node: { url: string }, body: object) => callSigned(node, '/consensus/task-rounds', body)

const vote = (node: { url: string }, body: object, seed?: string) =>
  callSigned(node, '/consensus/votes', body, seed === undefined ? {} : { seed })

const shown = (node: { url: string }, roundId: string) =>
  callSigned(node, `/consensus/rounds/${encodeURIComponent(roundId)}`)

const problemsOf = ({ status, json }: Reply) => ({
  status,
  error: json.error,
  paths: json.details?.problems?.map(({ path }: { path: string }) => path),
})

const refused = (...paths: string[]) => ({ status: 422, error: 'invalid_evidence', paths })

describe('POST /consensus/committee-sets', () => {
  test('attests a set once, and no other of its epoch, also after it was killed', async () => {
    const { project, node, validator } = await startOne()
    const bring = (snapshot: Snapshot) => callSigned(node, '/consensus/committee-sets', snapshot)
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
    const again = await startKnowing(validator, 4)
    expect((await callSigned(again, '/consensus/committee-sets', project.snapshot)).json).toEqual(first.json)
    expect((await callSigned(again, '/consensus/committee-sets', other)).status).toBe(422)
    expect((await again.call('/status', { token: null })).json.counts).toMatchObject({ sets: 1 })
  })

  test('takes what is asked for at once as one', async () => {
    const { project, node } = await startOne()
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => callSigned(node, '/consensus/committee-sets', project.snapshot)),
    )
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  })

  test('refuses what breaks a rule, with everything that is wrong, and attests nothing', async () => {
    const { project, hub, node } = await startOne()
    const { snapshot } = project
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
    expect((await node.call('/status')).json.counts.sets).toBe(0)
    expect((await callSigned(node, '/consensus/committee-sets', snapshot)).status).toBe(200)
  })

  test('finds rules that are no more in force in the versions', async () => {
    const project = createTestProject()
    const { hub, node } = await startOne(project)
    const versions = `/v1/projects/${project.projectId}/versions`
    hub.show(`/v1/projects/${project.projectId}/manifest`, createTestProject({ slug: 'newer' }).envelope)
    hub.show(versions, { items: [{ version: 3, consensus_hash: project.consensusHash }], next_cursor: null })
    hub.show(`${versions}/3`, { version: 3, signed_manifest: project.envelope })
    expect((await callSigned(node, '/consensus/committee-sets', project.snapshot)).status).toBe(200)
  })

  test('takes a set that is larger than other bodies may be', async () => {
    const { project, node } = await startOne()
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

  test('503 while the hub does not say the rules', async () => {
    const { project, hub, node } = await startOne()
    hub.answer(`/v1/projects/${project.projectId}/manifest`, (_, response) => void response.destroy())
    const reply = await callSigned(node, '/consensus/committee-sets', project.snapshot)
    expect([reply.status, reply.json.error, reply.headers['retry-after']]).toEqual([503, 'unavailable', '5'])
  })
})

describe('POST /consensus/task-rounds', () => {
  test('a clean round that is not audited is not run, and has one vote for ever', async () => {
    const { project, hub, node, validator } = await startAttesting()
    const round = createTestRound(project)
    const body = finalityRequest(round)
    const reply = await decide(node, body)
    expect([reply.status, reply.json]).toMatchObject([200, { run: null }])
    expect(parseFinalityVote(profile, reply.json.vote, keys).finality).toEqual({
      v: 1,
      round_id: round.roundId,
      project_id: project.projectId,
      epoch: project.epoch,
      set_hash: project.setHash,
      receipt_hash: hashReceipt(rightReceipt),
      gas_used: rightReceipt.gas_used,
      audited: false,
      voters: round.votes
        .map(({ public_key, payout_address }) => ({ public_key, payout_address }))
        .sort((a, b) => (a.public_key < b.public_key ? -1 : 1)),
    })
    expect((await decide(node, body)).text).toBe(reply.text)
    expect((await decide(node, { ...body, votes: [], fallback: 'underfunded' })).text).toBe(reply.text)
    expect(hub.requests.filter((call) => call.includes('/v1/modules'))).toEqual([])

    await node.kill()
    const again = await startKnowing(validator, 4)
    expect((await decide(again, body)).text).toBe(reply.text)
    const { json } = await shown(again, round.roundId)
    expect(json).toMatchObject({
      round_id: round.roundId,
      state: 'committee_agreed',
      task: round.task,
      votes: expect.arrayContaining(round.votes),
      tally: { clean: true, hash: hashReceipt(rightReceipt), rejected: [] },
      finality: null,
      finality_votes: [reply.json.vote],
    })
  })

  test('an audited round is run here: wrong votes are not credited, and the run is shown', async () => {
    const { project, hub, node } = await startAttesting()
    showArtifact(hub, echo.address, echo.bytes)
    const round = createTestRound(project)
    const votes = [0, 1, 2].map((position) => round.vote(position, wrongReceipt))
    const body = finalityRequest({ ...round, votes }, { audited: true })
    const [one, two] = await Promise.all([decide(node, body), decide(node, body)])
    expect(one!.text).toBe(two!.text)
    expect(one!.json.run).toEqual({
      receipt: rightReceipt,
      output_b64: Buffer.from('{"msg":"hi"}').toString('base64'),
      events: [{ name: 'echoed', data: { msg: 'hi' } }],
    })
    expect(one!.json.vote.finality).toMatchObject({
      receipt_hash: hashReceipt(rightReceipt),
      audited: true,
      voters: [],
    })
    expect((await node.call('/status')).json.counts).toMatchObject({ executions: 1, final_rounds: 0 })
    expect((await shown(node, round.roundId)).json.state).toBe('escalated')
  })

  test('a contested round is run, and forged votes count for nothing', async () => {
    const { project, hub, node } = await startAttesting()
    showArtifact(hub, echo.address, echo.bytes)
    const round = createTestRound(project)
    const { payout_address } = round.votes[0]!
    const forged = round.votes.map((cast) => ({
      ...cast,
      receipt: wrongReceipt,
      receipt_hash: hashReceipt(wrongReceipt),
    }))
    const stranger = createTaskVote(profile, hashText('stranger'), {
      task: round.task,
      receipt: wrongReceipt,
      payout_address,
      position: 0,
    })
    const votes = [...forged, stranger, round.vote(0)]
    const { json } = await decide(node, finalityRequest({ ...round, votes }))
    expect(json.vote.finality).toMatchObject({
      receipt_hash: hashReceipt(rightReceipt),
      audited: true,
      voters: [{ public_key: round.votes[0]!.public_key }],
    })
    expect((await shown(node, round.roundId)).json.tally).toMatchObject({
      contested: true,
      rejected: [0, 1, 2, 3],
    })
  })

  test.each([
    ['too_few_members', 2],
    ['underfunded', 4],
  ])('a fallback, %s, is run and credits nobody', async (fallback, miners) => {
    const { project, hub, node } = await startAttesting(createTestProject({ miners }))
    showArtifact(hub, echo.address, echo.bytes)
    const round = createTestRound(project)
    const { json } = await decide(node, finalityRequest({ ...round, votes: [] }, { fallback }))
    expect(json.vote.finality).toMatchObject({
      audited: true,
      voters: [],
      receipt_hash: hashReceipt(rightReceipt),
    })
    expect((await shown(node, round.roundId)).json.state).toBe('fallback')
  })

  test('refuses what a hub makes up, with the reason, and signs nothing', async () => {
    const { project, hub, node } = await startAttesting()
    const round = createTestRound(project)
    const { task } = round
    const honest = finalityRequest(round)
    const { audit_block: block } = honest
    const other = createTestProject({ slug: 'another' })
    const ofTask = (change: Partial<typeof task>) => finalityRequest(createTestRound(project, change))
    const lies: [object, ...string[]][] = [
      [{ ...honest, input_b64: Buffer.from('other').toString('base64') }, 'input_b64'],
      [ofTask({ consensus_hash: other.consensusHash, project_id: other.projectId }), 'consensus_hash'],
      [ofTask({ set_hash: other.setHash }), 'set_hash'],
      [ofTask({ function: 'other' }), 'task.function'],
      [ofTask({ gas_limit: 10 ** 9 }), 'task.gas_limit'],
      [ofTask({ module_address: spinner.address }), 'task.module_address'],
      [ofTask({ epoch: project.epoch - 1 }), 'task.epoch'],
      [ofTask({ issued_at: task.issued_at - 7_200 }), 'task.issued_at'],
      [{ ...honest, agreed_at: task.issued_at - 1 }, 'agreed_at'],
      [
        {
          ...honest,
          agreed_at: task.issued_at + 91,
          audit_block: { ...block, timestamp: task.issued_at + 92 },
        },
        'agreed_at',
      ],
      [{ ...honest, audit_block: { ...block, timestamp: honest.agreed_at } }, 'audit_block.timestamp'],
      [{ ...honest, audit_block: { ...block, timestamp: task.issued_at + 4_000 } }, 'audit_block.timestamp'],
      [{ ...honest, fallback: 'too_few_members', votes: [] }, 'fallback'],
      [{ ...honest, fallback: 'underfunded' }, 'votes'],
    ]
    for (const [lie, ...paths] of lies) expect(problemsOf(await decide(node, lie))).toEqual(refused(...paths))

    const audited = finalityRequest(round, { audited: true })
    expect(problemsOf(await decide(node, audited))).toEqual(refused('module_address'))
    showArtifact(hub, echo.address, spinner.bytes)
    expect(problemsOf(await decide(node, audited))).toEqual(refused('module_address'))
    showArtifact(hub, echo.address, new Uint8Array(100))
    expect(problemsOf(await decide(node, audited))).toEqual(refused('module_address'))

    const { counts } = (await node.call('/status')).json
    expect(counts).toMatchObject({ votes: 0, rounds: 0, executions: 0, modules: 0 })
    const { text } = await node.call('/metrics')
    expect(text).toContain('nodectl_consensus_requests_total{kind="round",outcome="refused"} 17\n')
  })

  test('400 with the members that are malformed', async () => {
    const { project, node } = await startOne()
    const honest = finalityRequest(createTestRound(project))
    const malformed: [object, string][] = [
      [{ ...honest, task: {} }, 'task'],
      [{ ...honest, input_b64: '%' }, 'input_b64'],
      [{ ...honest, votes: Array.from({ length: 95 }, () => ({})) }, 'votes'],
      [{ ...honest, votes: [1] }, 'votes[0]'],
      [{ ...honest, agreed_at: '1' }, 'agreed_at'],
      [{ ...honest, audit_block: null }, 'audit_block'],
      [{ ...honest, fallback: 'bored' }, 'fallback'],
      [{ ...honest, extra: 1 }, 'extra'],
    ]
    for (const [body, path] of malformed)
      expect(problemsOf(await decide(node, body))).toEqual({
        status: 400,
        error: 'invalid_field',
        paths: [path],
      })
  })

  test('a set that this node has not attested is taken from the hub, if a quorum of the validators has', async () => {
    const { project, hub, node } = await startOne()
    const path = `/v1/committees/${project.projectId}/${project.epoch}`
    const request = finalityRequest(createTestRound(project))
    hub.show(path, attestedSet(project, validatorSeeds.slice(0, 2)))
    expect(problemsOf(await decide(node, request))).toEqual(refused('set_hash'))
    const smaller = { ...project.snapshot, entries: project.snapshot.entries.slice(1) }
    const strangers = [0, 1, 2].map((i) => hashText(`stranger ${i}`))
    hub.show(path, attestedSet(project, strangers))
    expect(problemsOf(await decide(node, request))).toEqual(refused('set_hash'))
    hub.show(path, attestedSet({ ...project, snapshot: smaller }, validatorSeeds.slice(0, 3)))
    expect(problemsOf(await decide(node, request))).toEqual(refused('set_hash'))
    hub.show(path, attestedSet(project, validatorSeeds.slice(1)))
    expect((await decide(node, request)).status).toBe(200)
  })

  test('killed once it has signed, it gives the same vote', async () => {
    const { project, hub, node, validator } = await startAttesting()
    showArtifact(hub, echo.address, echo.bytes)
    const round = createTestRound(project)
    const body = finalityRequest(round, { audited: true })
    const answered = decide(node, body).catch(() => null)
    await expect
      .poll(() => node.log().some(({ message }) => message === 'finality vote given'), { interval: 1 })
      .toBe(true)
    await node.kill()
    const before = await answered
    const again = await startKnowing(validator, 4)
    const [given] = (await shown(again, round.roundId)).json.finality_votes
    // Another list of votes would make another record, if it were judged again.
    const reply = await decide(again, { ...body, votes: body.votes.slice(1) })
    expect(reply.json.vote).toEqual(given)
    if (before !== null) expect(reply.text).toBe(before.text)
  })
})

test('a restored data directory signs nothing that it may have signed before', async () => {
  const { project, node, validator } = await startOne()
  await node.stop()
  const backup = path.join(temporaryFolder(), 'backup')
  cpSync(validator.dataDir, backup, { recursive: true })
  const lost = await startKnowing(validator, 4)
  const round = createTestRound(project)
  expect((await callSigned(lost, '/consensus/committee-sets', project.snapshot)).status).toBe(200)
  expect((await decide(lost, finalityRequest(round))).status).toBe(200)
  await lost.stop()
  rmSync(validator.dataDir, { recursive: true })
  cpSync(backup, validator.dataDir, { recursive: true })
  const restored = await startKnowing(validator, 4)
  for (const reply of [
    await callSigned(restored, '/consensus/committee-sets', project.snapshot),
    await decide(restored, finalityRequest(round)),
  ])
    expect([reply.status, reply.json]).toMatchObject([
      409,
      { error: 'invalid_state', details: { reason: 'vote_withheld' } },
    ])
})

test('a validator that does not find itself at its URL says so', async () => {
  const hub = await startTestHub(createTestProject())
  const [validator, other] = await createValidators(hub)
  const node = await validator!.start([], other!.url)
  const problem = async () => (await node.call('/status')).json.consensus
  await expect.poll(problem).toMatchObject({ reachable: false, problem: 'the connection is refused' })
  expect(node.log()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      message: 'others may not reach this validator',
      url: other!.url,
    }),
  )
  await node.stop()
  await validator!.start()
  const wrong = await other!.start([], validator!.url)
  await expect
    .poll(async () => (await wrong.call('/status')).json.consensus.problem)
    .toBe(`another node, ${node.node_id}, answers there`)
})

describe('who may call', () => {
  test('only the coordinator brings work; validators bring votes and read; each request once', async () => {
    const { project, node } = await startOne()
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

/** All four validators, of which some run, and what a hub does between them. */
async function startNetwork(running: number, project = createTestProject()) {
  const hub = await startTestHub(project)
  showArtifact(hub, echo.address, echo.bytes)
  const validators = await createValidators(hub)
  const nodes = await Promise.all(validators.slice(0, running).map((validator) => startKnowing(validator, 4)))
  for (const node of nodes)
    expect((await callSigned(node, '/consensus/committee-sets', project.snapshot)).status).toBe(200)
  hub.show(
    `/v1/committees/${project.projectId}/${project.epoch}`,
    attestedSet(project, validatorSeeds.slice(0, 3)),
  )
  return { project, hub, validators, nodes }
}

/** Asks for finality votes, and tells everybody each of them. @returns The votes. */
async function makeFinal(nodes: readonly { url: string }[], request: object) {
  const votes: object[] = []
  for (const node of nodes) votes.push((await decide(node, request)).json.vote)
  for (const node of nodes) for (const cast of votes) expect((await vote(node, cast)).status).toBe(200)
  return votes
}

const finalAt = async (node: { url: string }, round: TestRound): Promise<FinalityRecord | null> => {
  const { status, json } = await shown(node, round.roundId)
  return status === 200 ? json.finality : null
}

describe('validators among themselves', () => {
  test('three of four make a round final, and the fourth learns it from them when it comes', async () => {
    const { project, validators, nodes } = await startNetwork(3)
    const round = createTestRound(project)
    const votes = await makeFinal(nodes, finalityRequest(round))
    const record = finalRecord(profile, votes, keys)
    expect(record).not.toBeNull()
    for (const node of nodes) {
      expect(await finalAt(node, round)).toEqual(record)
      expect((await shown(node, round.roundId)).json.state).toBe('finalized')
    }
    const late = await startKnowing(validators[3]!, 4)
    await expect.poll(() => finalAt(late, round), { timeout: 30_000 }).toEqual(record)
    const { json } = await callSigned(
      late,
      `/consensus/rounds?project_id=${project.projectId}&epoch=${project.epoch}`,
    )
    expect(json).toMatchObject({
      items: [{ round_id: round.roundId, state: 'finalized', finality: record }],
      next_cursor: null,
      last_cursor: '1',
    })
    expect((await late.call('/status')).json.consensus).toMatchObject({
      validators: 4,
      quorum: 3,
      is_validator: true,
      rounds: { known: 1, final: 1 },
      reachable: true,
    })
  })

  test('two of four make nothing final; once the third is back, they do, and the others catch up', async () => {
    const { project, validators, nodes } = await startNetwork(2)
    const round = createTestRound(project)
    const request = finalityRequest(round, { audited: true })
    const votes = await makeFinal(nodes, request)
    expect(finalRecord(profile, votes, keys)).toBeNull()
    for (const node of nodes) expect(await finalAt(node, round)).toBeNull()
    expect((await shown(nodes[0]!, round.roundId)).json.state).toBe('escalated')

    const third = await startKnowing(validators[2]!, 4)
    const { vote: last } = (await decide(third, request)).json
    // The third hears the others from the hub; the first two hear of it from nobody but their peers.
    for (const cast of votes) await vote(third, cast)
    expect(await finalAt(third, round)).not.toBeNull()
    const record = finalRecord(profile, [...votes, last], keys)
    for (const node of nodes)
      await expect.poll(() => finalAt(node, round), { timeout: 45_000 }).toEqual(record)
  })

  test('what the hub shows of a round counts as far as its votes verify', async () => {
    const { project, hub, nodes } = await startNetwork(1)
    const [node] = nodes
    const round = createTestRound(project)
    const { vote: own } = (await decide(node!, finalityRequest(round))).json
    const record = own.finality as FinalityRecord
    const lie = { ...record, gas_used: 1 }
    const [, second, third, fourth] = validatorSeeds
    hub.show(`/v1/explorer/rounds/${round.roundId}`, {
      round_id: round.roundId,
      finality: lie,
      finality_votes: [
        { ...own, finality: lie },
        createFinalityVote(profile, hashText('stranger'), lie),
        createFinalityVote(profile, fourth!, lie),
        createFinalityVote(profile, second!, record),
        createFinalityVote(profile, third!, record),
      ],
    })
    await expect.poll(() => finalAt(node!, round), { timeout: 60_000 }).toEqual(record)
  })

  test('one that lies or votes twice changes no result, and what it did is kept', async () => {
    const { project, nodes } = await startNetwork(3)
    const round = createTestRound(project)
    const votes = await makeFinal(nodes.slice(0, 2), finalityRequest(round))
    const record = (votes[0] as { finality: FinalityRecord }).finality
    const liar = validatorSeeds[3]!
    const lies = [1, 2, 3].map((gas_used) => createFinalityVote(profile, liar, { ...record, gas_used }))
    const [node] = nodes
    for (const lie of lies) {
      const { json } = await vote(node!, lie, liar)
      expect(json).toMatchObject({ state: 'committee_agreed', quorum: 3 })
      expect(json.counts[hashFinality(record)]).toBe(2)
    }
    expect(await finalAt(node!, round)).toBeNull()
    const { finality_votes: kept } = (await shown(node!, round.roundId)).json
    expect(kept.filter((one: { public_key: string }) => one.public_key === keys[3])).toHaveLength(2)
    expect(node!.log()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'a node voted twice in one round',
        round_id: round.roundId,
        node_key: keys[3],
      }),
    )
    await vote(node!, createFinalityVote(profile, validatorSeeds[2]!, record))
    expect(await finalAt(node!, round)).toEqual(record)
    expect((await vote(node!, lies[0]!, liar)).json.state).toBe('finalized')
    expect(await finalAt(node!, round)).toEqual(record)
  })

  test('offences of members are proved to whoever checks them, each once', async () => {
    const { project, nodes } = await startNetwork(3)
    const round = createTestRound(project)
    const [a, b] = round.votes
    // The first is right, the second wrong, the third silent; the backup votes twice.
    const wrong = round.vote(1, wrongReceipt)
    const twice = [round.vote(3), round.vote(3, wrongReceipt)]
    const request = finalityRequest({ ...round, votes: [a!, wrong, ...twice] })
    const [node] = nodes
    expect((await vote(node!, twice[0]!)).json).toMatchObject({
      state: 'pending',
      quorum: 3,
      counts: { [twice[0]!.receipt_hash]: 1 },
    })
    expect((await vote(node!, twice[1]!)).json.counts).toEqual({})
    const early = (await node!.call('/consensus/evidence', { token: null })).json.items as Evidence[]
    expect(early.map(({ kind }) => kind)).toEqual(['equivocation'])

    await makeFinal(nodes, request)
    const { items } = (await node!.call('/consensus/evidence', { token: null })).json as { items: Evidence[] }
    expect(items.map(({ kind, node_key }) => [kind, node_key]).toSorted()).toEqual(
      [
        ['equivocation', round.seated.seats[3]!.node_key],
        ['invalid_result', b!.public_key],
        ['missed_sla', round.seated.seats[2]!.node_key],
      ].toSorted(),
    )
    const rules = { committee: project.consensus.work.committee, params }
    for (const evidence of items) {
      const entry = project.snapshot.entries.find(({ node_key }) => node_key === evidence.node_key)
      const context = {
        validators: keys,
        subscription_id: entry!.subscription_id,
        seat: () => seatCommittee(profile, project.snapshot, round.task.seq, rules),
      }
      expect(() => checkEvidence(profile, evidence, context)).not.toThrow()
    }
    const first = (await node!.call('/consensus/evidence?limit=2', { token: null })).json
    const rest = (await node!.call(`/consensus/evidence?limit=2&cursor=${first.next_cursor}`)).json
    expect([...first.items, ...rest.items]).toEqual(items)
    expect(rest.next_cursor).toBeNull()
  })

  test('votes that are none are refused with the reason', async () => {
    const { project, nodes } = await startNetwork(1)
    const [node] = nodes
    const round = createTestRound(project)
    const { finality } = (await decide(node!, finalityRequest(round))).json.vote
    const stranger = hashText('stranger')
    const refusals: [object, RegExp][] = [
      [{}, /kind: must be one of execution, task, finality/],
      [{ kind: 'epoch' }, /kind/],
      [{ ...round.vote(0), signature: round.vote(1).signature }, /a signature does not verify/],
      [{ ...round.vote(0), committee: { position: 1 } }, /no such seat/],
      [
        createTestRound(project, { function: 'other' }).vote(0, { ...rightReceipt, function: 'other' }),
        /function must be one of echo/,
      ],
      [createFinalityVote(profile, stranger, finality), /not a current validator/],
      [
        { ...createFinalityVote(profile, validatorSeeds[1]!, finality), receipt_hash: hashText('x') },
        /receipt_hash/,
      ],
    ]
    for (const [cast, reason] of refusals) {
      const reply = await vote(node!, cast)
      expect([reply.status, reply.json.message]).toEqual([422, expect.stringMatching(reason)])
    }
  })

  test('a direct round: the module is fetched, and equal votes of a quorum decide', async () => {
    const { nodes } = await startNetwork(3)
    const round = {
      module_address: echo.address,
      function: 'echo',
      input_hash: rightReceipt.input_hash,
      gas_limit: 1_000_000,
      issued_at: Math.floor(Date.now() / 1000),
      nonce: 'cd'.repeat(16),
    }
    const body = {
      module: echo.address,
      function: 'echo',
      input_b64: Buffer.from('{"msg":"hi"}').toString('base64'),
      gas_limit: 1_000_000,
      round,
    }
    const votes: { round_id: string }[] = []
    for (const node of nodes) {
      const reply = await callSigned(node, '/execute', body)
      expect([reply.status, reply.json.output]).toEqual([200, '{"msg":"hi"}'])
      expect((await callSigned(node, '/execute', body)).json.vote).toEqual(reply.json.vote)
      votes.push(reply.json.vote)
    }
    const [node] = nodes
    const { round_id: roundId } = votes[0]!
    expect((await shown(node!, roundId)).json).toMatchObject({ state: 'pending', votes: [votes[0]] })
    expect((await vote(node!, votes[1]!)).json).toMatchObject({ state: 'pending', quorum: 3 })
    expect((await vote(node!, votes[2]!)).json).toEqual({
      round_id: roundId,
      state: 'finalized',
      counts: { [hashReceipt(rightReceipt)]: 3 },
      quorum: 3,
    })
    const unknown = { ...body, module: spinner.address, function: 'f' }
    const missing = await callSigned(node!, '/execute', {
      ...unknown,
      round: { ...round, module_address: spinner.address, function: 'f' },
    })
    expect(problemsOf(missing)).toEqual(refused('module_address'))
  })
})
