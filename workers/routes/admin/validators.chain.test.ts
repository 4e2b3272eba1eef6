import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { signGeneration, type ValidatorGeneration } from '../../../protocol/committees/index.ts'
import { resolveProfile } from '../../../protocol/identity/index.ts'
import { services } from '../../services.ts'
import { createNode, createOperator, insertNode, type TestNode } from '../../test/callers.ts'
import { client, errorOf, expectAnswer, expectRefusal, statusesOf } from '../../test/client.ts'
import { runSql } from '../../test/tables.ts'
import {
  coordinatorSeed,
  gather,
  idsOf,
  keeper,
  lead,
  namesOf,
  readChain,
  readValidators,
  setTime,
  start,
  validatorScene,
  verifiedChain,
} from './testing/validators.ts'

const scene = validatorScene()
const { chain, away, asked, register, registerAll, registerFour, beginWithTwoAway } = scene
const { genesis, change, pending } = scene
const profile = resolveProfile()

describe('generation 0', () => {
  test('is set once, from registered validators, and no validators exist before it', async () => {
    const nodes = await registerFour()
    expect(await readValidators()).toMatchObject({ validators: [], count: 0, generation: null, hash: null })
    expect((await genesis(nodes)).status).toBe(201)
    const shown = await readValidators()
    expect(shown).toMatchObject({ generation: 0, effective_at: 0, count: 4, quorum: 3, signatures: [] })
    expect(namesOf(shown)).toEqual(new Set(idsOf(nodes)))
    expect(await verifiedChain()).toHaveLength(1)
    await expectRefusal(genesis(nodes), '409 invalid_state')
    const others = await registerAll('five')
    expect((await genesis(others)).status).toBe(409)
    expect(await services(env).nodes.find(others[0]?.nodeId ?? '')).toMatchObject({ status: 'pending' })
    expect(await readValidators()).toEqual(shown)
  })

  test('is set by one of several concurrent requests', async () => {
    const nodes = await registerAll('one', 'two')
    expect(await statusesOf([genesis(nodes), genesis(nodes.slice(1)), genesis(nodes.slice(0, 1))])).toEqual([
      201, 409, 409,
    ])
    expect(await verifiedChain()).toHaveLength(1)
  })

  test('404 not_found: an unregistered node; 409 invalid_state: a miner', async () => {
    const miner = createNode()
    await insertNode(miner)
    await expectRefusal(genesis([createNode()]), '404 not_found')
    await expectRefusal(genesis([miner]), '409 invalid_state')
    await expectRefusal(change({ approve: idsOf([createNode()]) }), '404 not_found')
    expect(await errorOf(change({ revoke: [miner.nodeId] }))).toMatchObject({ status: 409 })
  })
})

describe.each([
  ['4 → 5', 4, 1, 0],
  ['4 → 6', 4, 2, 0],
  ['1 → 2', 1, 1, 0],
  ['2 → 3', 2, 1, 0],
  ['two of four replaced', 4, 2, 2],
  ['4 → 3', 4, 0, 1],
])('%s', (_, before, coming, leaving) => {
  test('the next generation is signed by a quorum of the one before, and takes effect later', async () => {
    const first = await registerAll(...Array.from({ length: before }, (_, i) => `old-${i}`))
    await genesis(first)
    const joining = await registerAll(...Array.from({ length: coming }, (_, i) => `new-${i}`))
    const gone = first.slice(0, leaving)
    await expectAnswer(change({ approve: idsOf(joining), revoke: idsOf(gone) }), 202, {
      generation: 1,
      effective_at: start + lead,
      validators: before + coming - leaving,
      pending: true,
    })
    expect(await verifiedChain()).toHaveLength(1)
    await gather()
    expect(await pending()).toBeNull()
    expect(await verifiedChain()).toHaveLength(2)
    // Only validators of the one before are asked, those that leave too.
    expect([...new Set(asked)].every((name) => name.startsWith('old'))).toBe(true)
    expect(await readValidators()).toMatchObject({ generation: 0, count: before })
    expect(await readValidators('?generation=1')).toMatchObject({ count: before + coming - leaving })
    setTime(start + lead)
    // Another isolate: this one may have kept an answer.
    expect(await services(env).validators.at(start + lead)).toMatchObject({ document: { generation: 1 } })
    const { validators: now } = (await services(env).validators.at(start + lead)) ?? {}
    expect(new Set(now?.map(({ nodeId }) => nodeId))).toEqual(
      new Set(idsOf([...first.slice(leaving), ...joining])),
    )
    expect(now?.every(({ url }) => url !== null)).toBe(true)
  })
})

describe('a generation without its quorum', () => {
  let first: TestNode[]
  let joining: TestNode
  beforeEach(async () => {
    ;({ first, joining } = await beginWithTwoAway())
  })

  test('changes nothing, and its signatures are requested again with growing pauses, also after a restart', async () => {
    const before = await readValidators()
    await change({ approve: [joining.nodeId] })
    await gather()
    expect(await pending()).toMatchObject({
      generation: 1,
      quorum: 3,
      attempts: 1,
      next_attempt_at: start + 5,
    })
    const { signed_by, awaited } = (await pending()) as { signed_by: string[]; awaited: string[] }
    expect(new Set(signed_by)).toEqual(new Set(idsOf(first.slice(0, 2))))
    expect(new Set(awaited)).toEqual(new Set(idsOf(first.slice(2))))
    expect(await readValidators()).toEqual(before)
    expect(await verifiedChain()).toHaveLength(1)
    // It is not due, however often it is looked at.
    asked.length = 0
    await services(env).generationKeeper.wake()
    await gather()
    expect(asked).toEqual([])
    setTime(start + 5)
    await evictDurableObject(keeper())
    await services(env).generationKeeper.wake()
    await gather()
    expect(asked.sort()).toEqual(['four', 'three'])
    expect(await pending()).toMatchObject({ attempts: 2, next_attempt_at: start + 15 })
    away.clear()
    setTime(start + 15)
    await gather()
    expect(await pending()).toBeNull()
    expect(await verifiedChain()).toHaveLength(2)
  })

  test('blocks every other generation except an emergency', async () => {
    await change({ approve: [joining.nodeId] })
    await gather()
    const another = await register('another')
    for (const refused of [
      await change({ approve: [another.nodeId] }),
      await change({ revoke: idsOf(first.slice(0, 1)) }),
      await scene.operator.post(`/admin/v1/nodes/${another.nodeId}/approve`),
    ])
      await expectRefusal(refused, '409 invalid_state', { details: { generation: 1 } })
    expect(await services(env).nodes.find(another.nodeId)).toMatchObject({ status: 'pending' })
    // The same approval again does not make a second generation.
    expect((await scene.operator.post(`/admin/v1/nodes/${joining.nodeId}/approve`)).status).toBe(200)
    await expectAnswer(change({ revoke: idsOf(first.slice(2)), emergency: true }), 202, {
      generation: 1,
      validators: 2,
    })
    setTime(start + 5)
    await gather()
    const chain = await verifiedChain()
    expect(chain.map(({ effective_at }) => effective_at)).toEqual([0, 0])
    expect(await services(env).validators.ofEpoch(1, 3_600)).toMatchObject({ document: { generation: 1 } })
  })

  test('does not count signatures of other nodes or over other documents', async () => {
    const [one, two] = first as [TestNode, TestNode]
    const answers: ((document: ValidatorGeneration) => object)[] = [
      (document) => signGeneration(profile, joining.key, document),
      (document) => signGeneration(profile, two.key, document),
      (document) => signGeneration(profile, one.key, { ...document, generation: 7 }),
      (document) => ({ ...signGeneration(profile, one.key, document), more: 1 }),
    ]
    await change({ approve: [joining.nodeId] })
    for (const [i, answer] of answers.entries()) {
      chain.hosts.set('one.validators.example', async (request) =>
        Response.json(answer(((await request.json()) as { document: ValidatorGeneration }).document)),
      )
      await gather()
      expect((await pending()) as object).toMatchObject({ signed_by: [two.nodeId] })
      setTime(start + 40 * (i + 1))
      await services(env).generationKeeper.wake()
    }
  })
})

describe('a generation whose signatures are late', () => {
  let first: TestNode[]
  let joining: TestNode
  beforeEach(async () => {
    ;({ first, joining } = await beginWithTwoAway())
    await change({ approve: [joining.nodeId] })
    await gather()
    asked.length = 0
  })

  const gatherAt = async (time: number) => {
    setTime(time)
    await services(env).generationKeeper.wake()
    await gather()
  }
  /** The number of the generation in force, for each second of a span. */
  const inForce = async (from: number, to: number) =>
    Promise.all(
      Array.from(
        { length: to - from + 1 },
        async (_, i) => (await services(env).validators.at(from + i))?.document.generation,
      ),
    )

  test('can be completed until a minute before it takes effect', async () => {
    away.clear()
    await gatherAt(start + lead - 60)
    expect(asked.sort()).toEqual(['four', 'three'])
    expect((await verifiedChain()).map(({ effective_at }) => effective_at)).toEqual([0, start + lead])
  })

  test('lapses and takes effect later, also after a restart; running epochs keep their validators', async () => {
    const lapsed = await services(env).pendingGenerations.find()
    const wasInForce = await inForce(start + lead - 2, start + lead + 12)
    away.clear()
    for (const time of [start + lead - 59, start + lead + 9]) {
      await gatherAt(time)
      expect(asked).toEqual([])
      expect(await pending()).toMatchObject({ hash: lapsed?.hash, renewals: 0 })
    }
    await evictDurableObject(keeper())
    await gatherAt(start + lead + 10)
    // The validators that signed the lapsed generation sign the next one too.
    expect(asked.sort()).toEqual(['four', 'one', 'three', 'two'])
    expect(await pending()).toBeNull()
    const [, made] = await verifiedChain()
    expect(made).toEqual({ ...lapsed?.document, effective_at: start + lead + 10 + 2 * lead })
    expect(await inForce(start + lead - 2, start + lead + 12)).toEqual(wasInForce)
    expect(await services(env).validators.at(made?.effective_at ?? 0)).toMatchObject({
      document: { generation: 1 },
    })
    // Signatures of the lapsed document can no longer complete it.
    const own = signGeneration(profile, coordinatorSeed, lapsed!.document)
    expect(await services(env).pendingGenerations.complete(lapsed!, own, [], start)).toBe(false)
  })

  test('lapses also if only the last signature is too late', async () => {
    chain.hosts.set('three.validators.example', async (request) => {
      const { document } = (await request.json()) as { document: ValidatorGeneration }
      setTime(start + lead - 59)
      return Response.json(signGeneration(profile, first[2]!.key, document))
    })
    await gatherAt(start + lead - 60)
    expect(await verifiedChain()).toHaveLength(1)
    expect(await pending()).toMatchObject({ renewals: 0, signed_by: { length: 3 } })
    await gatherAt(start + lead + 10)
    expect((await verifiedChain())[1]).toMatchObject({ effective_at: start + lead + 10 + 2 * lead })
  })

  test('is renewed after each lapse with more time for its signatures, up to an hour', async () => {
    const leads: number[] = []
    for (let renewals = 1; renewals <= 5; renewals++) {
      const { effective_at } = (await pending()) as { effective_at: number }
      await gatherAt(effective_at + 10)
      const renewed = (await pending()) as { effective_at: number; renewals: number }
      expect(renewed).toMatchObject({ renewals, generation: 1, made_at: start, attempts: 1 })
      leads.push(renewed.effective_at - effective_at - 10)
    }
    expect(leads).toEqual([600, 1_200, 2_400, 3_600, 3_600])
  })

  test('is replaced by an emergency generation, which never lapses', async () => {
    await change({ revoke: idsOf(first.slice(2)), emergency: true })
    await gatherAt(start + 30 * lead)
    expect((await verifiedChain()).map(({ effective_at }) => effective_at)).toEqual([0, 0])
  })
})

describe('the chain of generations', () => {
  test('accepts one of several concurrent changes', async () => {
    const nodes = await registerFour()
    await genesis(nodes)
    const joining = await registerAll('five', 'six', 'seven')
    const answers = await Promise.all([
      change({ approve: idsOf(joining.slice(0, 1)) }),
      scene.operator.post(`/admin/v1/nodes/${joining[1]?.nodeId}/approve`),
      scene.operator.post(`/admin/v1/nodes/${nodes[0]?.nodeId}/revoke`),
      change({ approve: idsOf(joining.slice(2)) }),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(3)
    await gather()
    expect(await verifiedChain()).toHaveLength(2)
  })

  test('cannot fork, regardless of signatures', async () => {
    const nodes = await registerAll('one', 'two')
    await genesis(nodes)
    const [five, six] = (await registerAll('five', 'six')) as [TestNode, TestNode]
    const { pendingGenerations, validators } = services(env)
    await change({ approve: [five.nodeId] })
    const kept = await pendingGenerations.find()
    await gather()
    const last = await validators.last()
    // The generation is completed once more, or another is proposed on top of a generation that is no longer the last.
    expect(
      await pendingGenerations.complete(kept!, signGeneration(profile, five.key, kept!.document), [], start),
    ).toBe(false)
    const decision = { operator: '0x', reason: null, approve: [six.nodeId], revoke: [], endedAt: null }
    for (const replaces of [false, true])
      expect(await pendingGenerations.propose(kept!, decision, replaces, start)).toBe(false)
    expect(await services(env).nodes.find(six.nodeId)).toMatchObject({ status: 'pending' })
    expect(await validators.last()).toEqual(last)
    const row =
      'INSERT INTO validator_generations SELECT 9, 9, prev_hash, ?, document, coordinator, signatures, 0, 0'
    await expect(runSql(`${row} FROM validator_generations WHERE generation = 1`, '0x9')).rejects.toThrow(
      /UNIQUE/,
    )
  })

  test('is read in pages, newest first; an unknown generation is 404 not_found', async () => {
    const nodes = await registerAll('one')
    await genesis(nodes)
    for (let i = 1; i <= 4; i++) {
      const joining = await register(`more-${i}`)
      await change({ approve: [joining.nodeId] })
      await services(env).generationKeeper.wake()
      await gather()
    }
    const whole = await readChain()
    expect(whole.map(({ document }) => document.generation)).toEqual([0, 1, 2, 3, 4])
    expect(await readChain(2)).toEqual(whole)
    // Each takes effect after the one before, also when they are made in one moment.
    expect(whole.map(({ document }) => document.effective_at)).toEqual(
      [0, lead, lead + 1, lead + 2, lead + 3].map((after, i) => (i === 0 ? 0 : start + after)),
    )
    expect(await services(env).validators.list(undefined, 50, 1)).toHaveLength(1)
    await expectRefusal(client().get('/v1/validators?generation=5'), '404 not_found')
  })

  test('is refused with 503 by a hub without a coordinator', async () => {
    const nodes = await registerAll('one')
    const { token, address } = await createOperator()
    const bindings = { OPERATOR_ADDRESSES: address, COORDINATOR_SEED: undefined as never }
    const hub = client({ token, bindings })
    const body = { node_ids: idsOf(nodes) }
    expect(await errorOf(hub.post('/admin/v1/validators/genesis', body))).toMatchObject({ status: 503 })
  })
})
