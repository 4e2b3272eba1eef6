import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { hashReceipt } from '../protocol/execution/index.ts'
import { createTaskVote, parseFinalityVote } from '../protocol/rounds/index.ts'
import { echo, spinner } from '../testing/node/artifacts.ts'
import { conflict } from '../testing/node/execution-calls.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { inDatabase } from '../testing/node/node-database.ts'
import type { ServingNode } from '../testing/node/serving-node.ts'
import {
  attestedSet,
  createTestProject,
  createTestRound,
  finalityRequest,
  profile,
  rightReceipt,
  wrongReceipt,
} from '../testing/node/test-project.ts'
import {
  afterAttesting,
  attestSet,
  decide,
  keys,
  problemsOf,
  refused,
  sharedValidator,
  shown,
  startOne,
  startOneProcess,
} from '../testing/node/validator-calls.ts'
import { showArtifact, startKnowing, validatorSeeds } from '../testing/node/validator-network.ts'

const { withProject, attesting } = sharedValidator()

describe('POST /consensus/task-rounds', () => {
  test('a clean round without an audit is not run, and always gets the same vote', async () => {
    const { project, hub, node, validator } = await afterAttesting(startOneProcess())
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
    const again = await startKnowing(validator)
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

  test('an audited round is run: wrong votes are not credited, and the answer shows the run', async () => {
    const { project, hub, node } = await attesting()
    showArtifact(hub, echo.address, echo.bytes)
    const round = createTestRound(project)
    const votes = [0, 1, 2].map((position) => round.vote(position, wrongReceipt))
    const body = finalityRequest({ ...round, votes }, { audited: true })
    const before = (await node.call('/status')).json.counts
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
    const { executions, final_rounds } = (await node.call('/status')).json.counts
    expect([executions, final_rounds]).toEqual([before.executions + 1, 0])
    expect((await shown(node, round.roundId)).json.state).toBe('escalated')
  })

  test('the run of a round that is over goes after a week, and its vote stays', async () => {
    const { project, hub, node, validator } = await afterAttesting(startOne())
    showArtifact(hub, echo.address, echo.bytes)
    const [over, open] = [createTestRound(project), createTestRound(project)]
    const ask = (of: ServingNode) =>
      Promise.all([over, open].map((round) => decide(of, finalityRequest(round, { audited: true }))))
    const [first, second] = await ask(node)
    expect(first!.json.run).not.toBeNull()
    await node.stop()
    inDatabase(validator.dataDir, (db) => {
      db.prepare("UPDATE rounds SET state = 'failed' WHERE round_id = ?").run(over.roundId)
      db.exec('UPDATE task_data SET created_at = created_at - 8 * 86400')
    })
    const again = await startKnowing(validator)
    const run = async () => (await ask(again))[0]!.json.run
    await expect.poll(run).toBeNull()
    expect((await ask(again)).map(({ json }) => json)).toEqual([{ ...first!.json, run: null }, second!.json])
  })

  test('a contested round is run, and forged votes count for nothing', async () => {
    const { project, hub, node } = await attesting()
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
    const { project, hub, node } = await attesting({ miners })
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

  test('refuses requests that a hub made up, with the reason, and signs nothing', async () => {
    const { project, hub, node } = await afterAttesting(startOne())
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
    const { project, node } = withProject()
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

  test('a set that this node has not attested is fetched from the hub if a quorum of validators attested it', async () => {
    const { project, hub, node } = withProject()
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

  test('a node that is killed after it signed gives the same vote', async () => {
    const { project, hub, node, validator } = await afterAttesting(startOneProcess())
    showArtifact(hub, echo.address, echo.bytes)
    const round = createTestRound(project)
    const body = finalityRequest(round, { audited: true })
    const answered = decide(node, body).catch(() => null)
    await expect
      .poll(() => node.log().some(({ message }) => message === 'finality vote given'), { interval: 1 })
      .toBe(true)
    await node.kill()
    const before = await answered
    const again = await startKnowing(validator)
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
  const lost = await startKnowing(validator)
  const round = createTestRound(project)
  expect((await attestSet(lost, project)).status).toBe(200)
  expect((await decide(lost, finalityRequest(round))).status).toBe(200)
  await lost.stop()
  rmSync(validator.dataDir, { recursive: true })
  cpSync(backup, validator.dataDir, { recursive: true })
  const restored = await startKnowing(validator)
  for (const reply of [await attestSet(restored, project), await decide(restored, finalityRequest(round))])
    expect(reply).toMatchObject(conflict('vote_withheld'))
})
