import { describe, expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { hashReceipt } from '../protocol/execution/index.ts'
import {
  createFinalityVote,
  type FinalityRecord,
  finalRecord,
  hashFinality,
  seatCommittee,
} from '../protocol/rounds/index.ts'
import { checkEvidence, type Evidence } from '../protocol/slashing/index.ts'
import { echo, spinner } from '../testing/node/artifacts.ts'
import { echoing, roundOf, spinning } from '../testing/node/execution-calls.ts'
import { expectLogged } from '../testing/node/serving-node.ts'
import { shared } from '../testing/node/shared.ts'
import {
  attestedSet,
  createTestProject,
  createTestRound,
  finalityRequest,
  params,
  profile,
  rightReceipt,
  type TestRound,
  wrongReceipt,
} from '../testing/node/test-project.ts'
import { attestSet, decide, keys, problemsOf, refused, shown, vote } from '../testing/node/validator-calls.ts'
import {
  callSigned,
  createValidators,
  patience,
  showArtifact,
  startKnowing,
  startTestHub,
  validatorSeeds,
} from '../testing/node/validator-network.ts'

/** All four validators, of which some run, and what a hub does between them. */
async function startNetwork(running: number, project = createTestProject()) {
  const hub = await startTestHub(project)
  showArtifact(hub, echo.address, echo.bytes)
  const validators = await createValidators(hub)
  const nodes = await Promise.all(validators.slice(0, running).map((validator) => startKnowing(validator)))
  for (const node of nodes) expect((await attestSet(node, project)).status).toBe(200)
  hub.show(
    `/v1/committees/${project.projectId}/${project.epoch}`,
    attestedSet(project, validatorSeeds.slice(0, 3)),
  )
  return { project, hub, validators, nodes }
}

/** Three that run, for rounds of the same project. */
const three = shared(() => startNetwork(3))

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
  // The first of those that share them, since it counts the rounds that are known.
  test('three of four make a round final, and the fourth learns it from them when it starts', async () => {
    const { project, validators, nodes } = three()
    const round = createTestRound(project)
    const votes = await makeFinal(nodes, finalityRequest(round))
    const record = finalRecord(profile, votes, keys)
    expect(record).not.toBeNull()
    for (const node of nodes) {
      expect(await finalAt(node, round)).toEqual(record)
      expect((await shown(node, round.roundId)).json.state).toBe('finalized')
    }
    const late = await startKnowing(validators[3]!)
    await expect.poll(() => finalAt(late, round), patience).toEqual(record)
    const { json } = await callSigned(
      late,
      `/consensus/rounds?project_id=${project.projectId}&epoch=${project.epoch}`,
    )
    expect(json).toMatchObject({
      items: [{ round_id: round.roundId, state: 'finalized', finality: record }],
      next_cursor: null,
      last_cursor: '1',
    })
    await expect
      .poll(async () => (await late.call('/status')).json.consensus, patience)
      .toMatchObject({
        validators: 4,
        quorum: 3,
        is_validator: true,
        rounds: { known: 1, final: 1 },
        reachable: true,
      })
  })

  test('accept the finality votes of all others in one call, and invalid votes count for nothing', async () => {
    const { project, nodes } = await three()
    const [node] = nodes as [(typeof nodes)[0]]
    const round = createTestRound(project, { seq: 71 })
    const votes: object[] = []
    for (const one of nodes) votes.push((await decide(one, finalityRequest(round))).json.vote)
    const [own, second, third] = votes as [object, object, object]
    const forged = { ...second, signature: `0x${'00'.repeat(64)}` }
    expect((await vote(node, { votes: [own, forged, third, third] })).json).toEqual({ taken: 1 })
    expect(await finalAt(node, round)).toBeNull()
    expect((await vote(node, { votes })).json).toEqual({ taken: 1 })
    expect(await finalAt(node, round)).toEqual(finalRecord(profile, votes, keys))
    expect((await vote(node, { votes })).json).toEqual({ taken: 0 })
    expect(problemsOf(await vote(node, { votes: [], round: 1 }))).toMatchObject({ paths: ['round'] })
  })

  test('two of four make no round final; once the third is back, they do, and the others catch up', async () => {
    const { project, validators, nodes } = await startNetwork(2)
    const round = createTestRound(project)
    const request = finalityRequest(round, { audited: true })
    const votes = await makeFinal(nodes, request)
    expect(finalRecord(profile, votes, keys)).toBeNull()
    for (const node of nodes) expect(await finalAt(node, round)).toBeNull()
    expect((await shown(nodes[0]!, round.roundId)).json.state).toBe('escalated')

    const third = await startKnowing(validators[2]!)
    const { vote: last } = (await decide(third, request)).json
    // The third hears the others from the hub; the first two hear of it from nobody but their peers.
    for (const cast of votes) await vote(third, cast)
    expect(await finalAt(third, round)).not.toBeNull()
    const record = finalRecord(profile, [...votes, last], keys)
    for (const node of nodes) await expect.poll(() => finalAt(node, round), patience).toEqual(record)
  })

  test('a round that the hub shows counts only as far as its votes verify', async () => {
    const { project, hub, nodes } = three()
    const [node] = nodes
    const round = createTestRound(project)
    const { vote: own } = (await decide(node!, finalityRequest(round))).json
    const record = own.finality as FinalityRecord
    const lie = { ...record, gas_used: 1 }
    const [, second, third, fourth] = validatorSeeds
    hub.show(`/v1/explorer/rounds/${round.roundId}`, {
      round_id: round.roundId,
      state: 'finalized',
      finality: lie,
      finality_votes: [
        { ...own, finality: lie },
        createFinalityVote(profile, hashText('stranger'), lie),
        createFinalityVote(profile, fourth!, lie),
        createFinalityVote(profile, second!, record),
        createFinalityVote(profile, third!, record),
      ],
    })
    await expect.poll(() => finalAt(node!, round), patience).toEqual(record)
  })

  test('a validator that lies or votes twice changes no result, and its votes are kept', async () => {
    const { project, nodes } = three()
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
    expectLogged(node!, {
      level: 'warn',
      message: 'a node voted twice in one round',
      round_id: round.roundId,
      node_key: keys[3],
    })
    await vote(node!, createFinalityVote(profile, validatorSeeds[2]!, record))
    expect(await finalAt(node!, round)).toEqual(record)
    expect((await vote(node!, lies[0]!, liar)).json.state).toBe('finalized')
    expect(await finalAt(node!, round)).toEqual(record)
  })

  test('evidence that anybody can check proves each offence of members once', async () => {
    const { project, nodes } = three()
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

  test('invalid votes are refused with the reason', async () => {
    const { project, nodes } = three()
    const [node] = nodes
    const round = createTestRound(project)
    const { finality } = (await decide(node!, finalityRequest(round))).json.vote
    const stranger = hashText('stranger')
    const refusals: [object, RegExp][] = [
      [{}, /kind: must be one of execution, task, finality/],
      [{ kind: 'epoch' }, /kind/],
      [{ ...round.vote(0), signature: round.vote(1).signature }, /a signature does not verify/],
      [{ ...round.vote(0), committee: { position: 1 } }, /does not have this seat/],
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
    const { nodes } = three()
    const round = roundOf(echo, { input_hash: rightReceipt.input_hash })
    const body = {
      ...echoing,
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
    const unknown = { ...body, ...spinning }
    const missing = await callSigned(node!, '/execute', {
      ...unknown,
      round: { ...round, module_address: spinner.address, function: 'f' },
    })
    expect(problemsOf(missing)).toEqual(refused('module_address'))
  })
})
