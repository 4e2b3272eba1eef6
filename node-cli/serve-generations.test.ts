import { describe, expect, test } from 'vitest'
import {
  beaconTargetTime,
  countAttestations,
  generationText,
  hashGeneration,
  quorum,
  type ValidatorGeneration,
} from '../protocol/committees/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import {
  createExecutionVote,
  createFinalityVote,
  type FinalityRecord,
  finalRecord,
  seatCommittee,
} from '../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { checkEvidence, type Evidence } from '../protocol/slashing/index.ts'
import { echo } from '../testing/node/artifacts.ts'
import { echoing, roundOf } from '../testing/node/execution-calls.ts'
import { coordinatorSeed } from '../testing/node/generations.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import type { Reply, ServingNode } from '../testing/node/serving-node.ts'
import { shared } from '../testing/node/shared.ts'
import {
  attestedSet,
  createTestProject,
  createTestRound,
  finalityRequest,
  input,
  params,
  profile,
  rightReceipt,
  type TestProject,
} from '../testing/node/test-project.ts'
import {
  callSigned,
  createValidators,
  showArtifact,
  startKnowing,
  startKnowingProcess,
  startTestHub,
  type TestHub,
  type TestValidator,
} from '../testing/node/validator-network.ts'

const seeds = Array.from({ length: 6 }, (_, i) => hashText(`generation validator ${i}`))
const keysOf = (some: readonly string[]) => some.map(ed25519PublicKey).toSorted()

const decide = (node: ServingNode, body: object) => callSigned(node, '/consensus/task-rounds', body)
const vote = (node: ServingNode, body: object) => callSigned(node, '/consensus/votes', body)
const finalAt = async (node: ServingNode, roundId: string): Promise<FinalityRecord | null> => {
  const { status, json } = await callSigned(node, `/consensus/rounds/${encodeURIComponent(roundId)}`)
  return status === 200 ? json.finality : null
}

/** A refusal that names a generation. */
const otherGeneration = (generation: number) => ({
  status: 422,
  json: {
    error: 'invalid_evidence',
    message: expect.stringContaining(`generation ${generation} of the validators`),
  },
})

interface Change {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const changes: Record<string, Change> = {
  '4 → 5': { before: seeds.slice(0, 4), after: seeds.slice(0, 5) },
  '4 → 6': { before: seeds.slice(0, 4), after: seeds },
  '1 → 2': { before: seeds.slice(0, 1), after: seeds.slice(0, 2) },
  '2 → 3': { before: seeds.slice(0, 2), after: seeds.slice(0, 3) },
  'two of four replaced': { before: seeds.slice(0, 4), after: seeds.slice(2, 6) },
}

/** The epoch that runs, of generation 1, and the one before, of generation 0; a node of the first and a new one. */
async function startChange({ before, after }: Change) {
  const project = createTestProject()
  const earlier = createTestProject({ epochsAgo: 1 })
  const hub = await startTestHub(project)
  showArtifact(hub, echo.address, echo.bytes)
  const validators = await createValidators(hub, before.length, [...new Set([...before, ...after])])
  const target = beaconTargetTime(project.epoch, project.snapshot.epoch_secs, params)
  hub.generations.add(after, { effectiveAt: target })
  const of = (seed: string) => validators.find((one) => one.seed === seed)!
  const [old, fresh] = await Promise.all([
    startKnowing(of(before[0]!), after.length),
    startKnowing(of(after.at(-1)!), after.length),
  ])
  showSet(hub, earlier, before)
  return { project, earlier, hub, old: old!, fresh: fresh! }
}

const showSet = (hub: TestHub, project: TestProject, by: readonly string[]): void =>
  hub.show(`/v1/committees/${project.projectId}/${project.epoch}`, attestedSet(project, by))

/** Brings votes of validators until the round is final. @returns How many it took. */
async function votesUntilFinal(
  node: ServingNode,
  record: FinalityRecord,
  by: readonly string[],
): Promise<number> {
  for (const [i, seed] of by.entries()) {
    expect((await vote(node, createFinalityVote(profile, seed, record))).status).toBe(200)
    if ((await finalAt(node, record.round_id)) !== null) return i + 1
  }
  return Number.POSITIVE_INFINITY
}

describe.each(Object.entries(changes))('when validators change, %s', (_, change) => {
  test('each generation decides its own epochs: the old one finishes earlier ones, the new one decides later ones', async () => {
    const { before, after } = change
    const { project, earlier, hub, old, fresh } = await startChange(change)

    // An epoch of generation 0: one of its primaries is silent.
    const round = createTestRound(earlier)
    const request = finalityRequest({ ...round, votes: round.votes.slice(1) }, { audited: true })
    expect(await decide(fresh, request)).toMatchObject(otherGeneration(0))
    const record = (await decide(old, request)).json.vote.finality as FinalityRecord
    const stranger = after.find((seed) => !before.includes(seed))!
    for (const node of [old, fresh])
      expect(await vote(node, createFinalityVote(profile, stranger, record))).toMatchObject(
        otherGeneration(0),
      )
    const others = before.slice(1)
    const needed = quorum(before.length)
    if (needed > 1) expect(await votesUntilFinal(old, record, others)).toBe(needed - 1)
    expect(await finalAt(old, round.roundId)).toEqual(record)
    expect(await votesUntilFinal(fresh, record, before)).toBe(needed)

    const { items } = (await old.call('/consensus/evidence', { token: null })).json as { items: Evidence[] }
    expect(items.map(({ kind }) => kind)).toEqual(['missed_sla'])
    const rules = { committee: earlier.consensus.work.committee, params }
    const entry = earlier.snapshot.entries.find(({ node_key }) => node_key === items[0]!.node_key)!
    expect(() =>
      checkEvidence(profile, items[0]!, {
        validators: keysOf(before),
        subscription_id: entry.subscription_id,
        seat: () => seatCommittee(profile, earlier.snapshot, round.task.seq, rules),
      }),
    ).not.toThrow()

    // The epoch that runs is one of generation 1.
    const attested = await callSigned(fresh, '/consensus/committee-sets', project.snapshot)
    expect(attested.status).toBe(200)
    const stays = after.includes(before[0]!)
    const byOld = await callSigned(old, '/consensus/committee-sets', project.snapshot)
    if (stays) expect(byOld.status).toBe(200)
    else expect(byOld).toMatchObject(otherGeneration(1))
    showSet(hub, project, after.slice(0, quorum(after.length)))
    const next = createTestRound(project)
    const { finality } = (await decide(fresh, finalityRequest(next))).json.vote
    const decidedByOld = await decide(old, finalityRequest(next))
    if (stays) expect(decidedByOld.json.vote.finality).toEqual(finality)
    else expect(decidedByOld).toMatchObject(otherGeneration(1))
    const own = ed25519PublicKey(after.at(-1)!)
    const rest = after.filter((seed) => ed25519PublicKey(seed) !== own)
    if (quorum(after.length) > 1)
      expect(await votesUntilFinal(fresh, finality, rest)).toBe(quorum(after.length) - 1)
    expect(await finalAt(fresh, next.roundId)).toEqual(finality)
    const signed = (await callSigned(fresh, `/consensus/rounds/${encodeURIComponent(next.roundId)}`)).json
    expect(finalRecord(profile, signed.finality_votes, keysOf(after))).toEqual(finality)
  })
})

test('a validator that the hub revoked still learns the generation after it, also after a restart', async () => {
  const hub = await startTestHub(createTestProject())
  const [leaving] = await createValidators(hub, 4, seeds)
  const revoked = { error: 'forbidden', message: 'An operator revoked this node.' }
  hub.show('/v1/nodes/register', revoked, 403)
  hub.generations.add(seeds.slice(1, 5), { effectiveAt: 9 })
  const node = await startKnowing(leaving!, 4)
  const { hub: link, generations, consensus } = (await node.call('/status')).json
  expect(link.state).toBe('refused')
  expect([generations.newest, consensus.generation, consensus.is_validator]).toEqual([1, 1, false])
})

test('votes of a generation that was just created count, and are not lost', async () => {
  const project = createTestProject()
  const hub = await startTestHub(project)
  showArtifact(hub, echo.address, echo.bytes)
  const [validator] = await createValidators(hub, 2, seeds)
  const node = await startKnowing(validator!, 2)
  const after = seeds.slice(0, 4)
  hub.generations.add(after, { effectiveAt: 0 })
  showSet(hub, project, after)
  const round = createTestRound(project)
  const record: FinalityRecord = (await decide(node, finalityRequest(round))).json.vote.finality
  await expect
    .poll(async () => (await vote(node, createFinalityVote(profile, after[3]!, record))).status)
    .toBe(200)
  expect((await vote(node, createFinalityVote(profile, after[2]!, record))).json).toMatchObject({
    state: 'finalized',
    quorum: 3,
  })
})

test('a set decides nothing if too few validators of its epoch, or those of another epoch, attested it', async () => {
  const change = changes['4 → 6']!
  const { project, hub, fresh } = await startChange(change)
  const request = finalityRequest(createTestRound(project))
  showSet(hub, project, change.before)
  expect(await decide(fresh, request)).toMatchObject(otherGeneration(1))
  showSet(hub, project, change.after.slice(1))
  expect((await decide(fresh, request)).status).toBe(200)
})

test('the generation in force when a direct round was issued votes in it and is counted', async () => {
  const { before, after } = changes['two of four replaced']!
  const { old, fresh } = await startChange({ before, after })
  const roundAt = (issued_at: number) => roundOf(echo, { input_hash: rightReceipt.input_hash, issued_at })
  const execute = (node: ServingNode, round: ReturnType<typeof roundAt>) =>
    callSigned(node, '/execute', {
      ...echoing,
      input_b64: Buffer.from(input).toString('base64'),
      gas_limit: 1_000_000,
      round,
    })
  const now = roundAt(unixNow())
  expect(await execute(old, now)).toMatchObject({
    status: 409,
    json: {
      error: 'invalid_state',
      message: expect.stringContaining('generation 1 of the validators'),
      details: { reason: 'other_generation', generation: 1 },
    },
  })
  const own = await execute(fresh, now)
  expect(own.status).toBe(200)
  const { receipt, payout_address } = own.json.vote
  const cast = (seed: string, round = now) =>
    vote(fresh, createExecutionVote(profile, seed, { round, receipt, payout_address }))
  expect(await cast(before[0]!)).toMatchObject(otherGeneration(1))
  expect((await cast(after[0]!)).json).toMatchObject({ state: 'pending', quorum: 3 })
  expect((await cast(after[1]!)).json).toMatchObject({ state: 'finalized', quorum: 3 })

  const earlier = roundAt(1_000)
  expect((await execute(old, earlier)).status).toBe(200)
  expect(await execute(fresh, earlier)).toMatchObject({ status: 409, json: { details: { generation: 0 } } })
})

describe('POST /consensus/validator-generations', () => {
  const four = seeds.slice(0, 4)

  async function createOne(index = 0): Promise<{ hub: TestHub; validator: TestValidator }> {
    const hub = await startTestHub(createTestProject())
    const validators = await createValidators(hub, 4, seeds)
    return { hub, validator: validators[index]! }
  }

  async function startOne(index?: number): Promise<{ hub: TestHub; node: ServingNode }> {
    const { hub, validator } = await createOne(index)
    return { hub, node: await startKnowing(validator, 4) }
  }

  const one = shared(startOne)

  const ask = (
    node: ServingNode,
    document: ValidatorGeneration,
    { seed = coordinatorSeed, ...more }: { seed?: string; extra?: 1 } = {},
  ): Promise<Reply> => callSigned(node, '/consensus/validator-generations', { document, ...more }, { seed })
  const isSignature = (document: ValidatorGeneration, { json }: Reply, seed: string): boolean => {
    const text = generationText(profile, hashGeneration(profile, document))
    return countAttestations(profile, text, [json], [ed25519PublicKey(seed)]) === 1
  }
  const refusedFor = (reason: string) => ({
    status: 409,
    json: { error: 'invalid_state', details: { reason } },
  })
  const soon = () => unixNow() + params.snapshot_lead_secs

  test('signs one document for each number, the same after a restart, and another only in an emergency', async () => {
    const { hub, validator } = await createOne()
    const node = await startKnowingProcess(validator, 4)
    const document = hub.generations.next(seeds.slice(0, 5), soon())
    const first = await ask(node, document)
    expect(first.status).toBe(200)
    expect(isSignature(document, first, four[0]!)).toBe(true)
    const other = hub.generations.next(seeds.slice(0, 6), soon())
    expect(await ask(node, other)).toMatchObject(refusedFor('signed_another'))
    await node.kill()

    const again = await startKnowing(validator, 4)
    expect((await ask(again, document)).json).toEqual(first.json)
    expect(await ask(again, other)).toMatchObject(refusedFor('signed_another'))
    const emergency = hub.generations.next(seeds.slice(0, 3), 0)
    const replaced = await ask(again, emergency)
    expect(replaced.status).toBe(200)
    expect(isSignature(emergency, replaced, four[0]!)).toBe(true)
  })

  test('accepts only calls of the coordinator', async () => {
    const { hub, node } = one()
    const document = hub.generations.next(seeds.slice(0, 5), soon())
    expect((await ask(node, document, { seed: four[1]! })).status).toBe(403)
    expect((await node.call('/consensus/validator-generations', { method: 'POST', body: {} })).status).toBe(
      403,
    )
    expect((await ask(node, document, { extra: 1 })).json.error).toBe('invalid_field')
    const wrong = { ...document, v: 2 } as unknown as ValidatorGeneration
    expect((await ask(node, wrong)).json).toMatchObject({
      error: 'invalid_field',
      details: { problems: [{ path: 'document.v' }] },
    })
  })

  test('reads newer generations of the chain first, and signs only a document that extends it', async () => {
    const { hub, node } = one()
    const before = hub.generations.next(seeds.slice(0, 5), 9)
    hub.generations.add(seeds.slice(0, 5), { effectiveAt: 9 })
    expect(await ask(node, { ...before, effective_at: 10 })).toMatchObject(refusedFor('wrong_number'))
    const second = hub.generations.next(seeds.slice(1, 5), soon())
    const signed = await ask(node, second)
    expect([signed.status, isSignature(second, signed, four[0]!)]).toEqual([200, true])
    expect(await ask(node, { ...second, prev_hash: hashText('another') })).toMatchObject(
      refusedFor('wrong_prev_hash'),
    )
    expect(await ask(node, { ...second, generation: 4 })).toMatchObject(refusedFor('wrong_number'))
    expect(await ask(node, hub.generations.next(seeds.slice(5), 0))).toMatchObject(refusedFor('keeps_nobody'))
    expect(await ask(node, hub.generations.next(seeds.slice(1, 3), 0))).toMatchObject(
      refusedFor('not_a_signer'),
    )
  })

  test('a node that does not validate yet signs nothing', async () => {
    const { hub, node } = await startOne(4)
    const document = hub.generations.next(seeds.slice(0, 5), soon())
    expect(await ask(node, document)).toMatchObject(refusedFor('not_a_signer'))
  })
})
