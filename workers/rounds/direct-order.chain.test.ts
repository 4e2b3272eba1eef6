import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { createReceipt, type StateHead } from '../../protocol/execution/index.ts'
import { type DirectRound, deriveDirectRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import { createExecutionVote, type ExecutionVote } from '../../protocol/rounds/index.ts'
import { services } from '../services.ts'
import { networkNow, type TestNode } from '../test/callers.ts'
import { bodyOf, client, expectAnswer, expectRefusal } from '../test/client.ts'
import { uploadModule } from '../test/project.ts'
import { SimulatedRounds } from '../test/rounds.ts'
import type { SimulatedValidator } from '../test/simulated-validators.ts'
import { runSql } from '../test/tables.ts'
import { setValidators } from '../test/validators.ts'

const profile = resolveProfile()
const rounds = new SimulatedRounds()
const rootOf = (count: number, salt = '') => hashText(`root ${count}${salt}`)

/** The storage of a validator for a module that counts, kept as nodes keep it. */
class Counter {
  readonly key: TestNode['key']
  /** The sequence number of its storage. */
  count = 0
  /** The vote of each round, which stays. */
  readonly votes = new Map<string, ExecutionVote>()
  /** How many decisions it was told. */
  told = 0
  isAway = false
  isDeaf = false
  /** Whether it compares its storage with the agreed state that the hub sends. */
  isHeedful = true
  /** Has its storage become another one. */
  salt = ''
  /** Modules whose storage each run looks at as well. */
  others: readonly string[] = []
  asked = 0

  constructor(key: TestNode['key']) {
    this.key = key
  }

  async answer(path: string, body: unknown): Promise<Response> {
    if (this.isAway) return new Response(null, { status: 503 })
    if (path === '/consensus/direct-rounds') return this.#hear(body as { votes: ExecutionVote[] })
    const { round, heads } = body as { round: DirectRound; heads: StateHead[] }
    const given = this.votes.get(deriveDirectRoundId(round))
    if (given !== undefined) return this.#show(given)
    this.asked += 1
    const head = heads.find(({ module_address }) => module_address === round.module_address)
    const unsaid = this.others.filter((other) => heads.every((one) => one.module_address !== other))
    const isBehind = this.isHeedful && head?.seq !== null && head?.seq !== this.count
    if (isBehind || unsaid.length > 0) {
      const behind = unsaid.length > 0 ? unsaid : [round.module_address]
      const modules = behind.map((module_address) => ({
        ...{ module_address, seq: this.count, root: rootOf(this.count) },
      }))
      return Response.json(
        { error: 'invalid_state', details: { reason: 'state_behind', modules } },
        { status: 409 },
      )
    }
    const vote = this.#vote(round)
    this.votes.set(vote.round_id, vote)
    return this.#show(vote)
  }

  #vote(round: DirectRound): ExecutionVote {
    const { module_address, function: name } = round
    const output = new TextEncoder().encode(String(this.count + 1))
    const run = { module_address, function: name, input: new TextEncoder().encode('hi'), output }
    const receipt = createReceipt({ ...run, events: [], gas_used: 9, success: true })
    const state = [
      {
        module_address,
        pre_seq: this.count,
        pre_root: rootOf(this.count),
        post_seq: this.count + 1,
        post_root: rootOf(this.count + 1, this.salt),
      },
    ]
    return createExecutionVote(profile, this.key, {
      round,
      receipt,
      payout_address: `0x${'a1'.repeat(20)}`,
      state,
    })
  }

  #show(vote: ExecutionVote): Response {
    const output = String(vote.state![0]!.post_seq)
    return Response.json({ success: true, output, events: [], receipt: vote.receipt, vote })
  }

  #hear({ votes }: { votes: ExecutionVote[] }): Response {
    if (this.isDeaf) return new Response(null, { status: 503 })
    this.told += 1
    this.count = Math.max(this.count, votes[0]!.state![0]!.post_seq)
    return Response.json({ round_id: votes[0]!.round_id, behind: [] })
  }
}

let module: { address: string; functions: string[] }
let counters: Counter[] = []

beforeAll(async () => {
  await rounds.begin({ members: 1 })
})

beforeEach(async () => {
  rounds.install()
  module = await uploadModule(rounds.developer!)
  await runSql('UPDATE modules SET stateless = 0 WHERE manifest_address = ?', module.address)
  counters = rounds.validators.map(({ node }) => new Counter(node.key))
  for (const [i, validator] of rounds.validators.entries() as Iterable<[number, SimulatedValidator]>)
    validator.instead = (at, body) => counters[i]!.answer(at, body)
})

const increment = (headers: Record<string, string> = {}, body: object = {}, caller = client()) =>
  caller.post(
    '/v1/execute',
    { module: module.address, function: module.functions[0], input: 'hi', ...body },
    headers,
  )

async function outputOf(response: Response): Promise<{ output: string; round_id: string }> {
  const answer = await bodyOf(response)
  expect([response.status, answer.message]).toEqual([200, undefined])
  return answer
}

const counts = () => counters.map(({ count }) => count)

describe('direct rounds of a module with storage', () => {
  test('parallel calls are executed in sequence, and every validator stores each result', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => increment().then(outputOf)))
    expect(answers.map(({ output }) => output).toSorted()).toEqual(['1', '2', '3', '4', '5'])
    expect(counts()).toEqual([5, 5, 5, 5])
  })

  test('validators that restart one after another receive the results they missed, and vote again', async () => {
    await outputOf(await increment())
    for (const restarted of [0, 1]) {
      counters[restarted]!.isAway = true
      await outputOf(await increment())
      counters[restarted]!.isAway = false
    }
    // Without those two there is no quorum.
    counters[3]!.isAway = true
    expect((await outputOf(await increment())).output).toBe('4')
    expect(counts().slice(0, 3)).toEqual([4, 4, 4])
  })

  test('one receipt with different states is no quorum, and nothing is stored', async () => {
    counters[0]!.salt = counters[1]!.salt = 'other'
    await expectRefusal(increment(), '503 unavailable', { details: { votes: 4, quorum: 3 } })
    expect(counters.map(({ told }) => told)).toEqual([0, 0, 0, 0])
    for (const counter of counters) counter.salt = ''
    await rounds.passTime(1)
    expect((await outputOf(await increment())).output).toBe('1')
    expect(counts()).toEqual([1, 1, 1, 1])
  })

  test('a decided round that no validator received is sent together with the next one', async () => {
    for (const counter of counters) counter.isDeaf = true
    await outputOf(await increment())
    expect(counts()).toEqual([0, 0, 0, 0])
    for (const counter of counters) counter.isDeaf = false
    await evictDurableObject(env.DIRECT_ORDER.getByName('direct'))
    expect((await outputOf(await increment())).output).toBe('2')
    expect(counts()).toEqual([2, 2, 2, 2])
  })

  test('a retry under an Idempotency-Key writes once and has the same result; another call under it is 409', async () => {
    const headers = { 'Idempotency-Key': `retry-${module.address}` }
    const caller = client()
    const first = await outputOf(await increment(headers, {}, caller))
    await rounds.passTime(5)
    await evictDurableObject(env.DIRECT_ORDER.getByName('direct'))
    expect(await outputOf(await increment(headers, {}, caller))).toEqual(first)
    expect(counts()).toEqual([1, 1, 1, 1])
    await expectRefusal(increment(headers, { input: 'other' }, caller), '409 conflict')
    expect((await outputOf(await increment())).output).toBe('2')
  })

  test('a retry has the same result after validators deleted their votes, and removes no vote from its round', async () => {
    const headers = { 'Idempotency-Key': `later-${module.address}` }
    const caller = client()
    const first = await outputOf(await increment(headers, {}, caller))
    for (const counter of counters) counter.isAway = true
    expect(await outputOf(await increment(headers, {}, caller))).toEqual(first)
    const file = await services(env).roundFiles.directRound(first.round_id)
    expect(file?.exec_votes.length).toBeGreaterThanOrEqual(3)
  })

  test('a run that reads more modules than a call can list does not block later calls', async () => {
    const others = Array.from({ length: 300 }, (_, i) => hashText(`other ${i}`))
    for (const counter of counters) counter.others = others
    expect((await increment()).status).toBe(503)
    expect(counters.map(({ asked }) => asked)).toEqual([2, 2, 2, 2])
    for (const counter of counters) counter.others = others.slice(0, 200)
    expect((await outputOf(await increment())).output).toBe('1')
  })

  test('a retry after a round without a quorum stores one result', async () => {
    const headers = { 'Idempotency-Key': `again-${module.address}` }
    const caller = client()
    counters[0]!.isAway = counters[1]!.isAway = true
    expect((await increment(headers, {}, caller)).status).toBe(503)
    counters[0]!.isAway = counters[1]!.isAway = false
    await rounds.passTime(1)
    const { round_id } = await outputOf(await increment(headers, {}, caller))
    expect(await services(env).rounds.find(round_id)).toMatchObject({ state: 'finalized' })
    expect(counts()).toEqual([1, 1, 1, 1])
  })

  test('the result of a quorum is rejected if it does not follow from earlier results', async () => {
    await outputOf(await increment())
    for (const counter of counters) Object.assign(counter, { count: 0, isHeedful: false, salt: 'other' })
    await rounds.passTime(1)
    await expectRefusal(increment(), '503 unavailable')
    expect([counts(), counters.map(({ told }) => told)]).toEqual([
      [0, 0, 0, 0],
      [1, 1, 1, 1],
    ])
    for (const counter of counters) Object.assign(counter, { count: 1, isHeedful: true, salt: '' })
    await rounds.passTime(1)
    expect((await outputOf(await increment())).output).toBe('2')
  })

  test('a round is decided by the validators in force when it was issued, and by no others', async () => {
    const [{ node }] = rounds.validators as [SimulatedValidator]
    await setValidators([{ ...node, url: `https://${rounds.validators[0]!.host}` }], {
      effectiveAt: await networkNow(),
    })
    await expectAnswer(increment(), 200, { output: '1', consensus: { state: 'finalized', quorum: 1 } })
    expect(counters.map(({ votes }) => votes.size)).toEqual([1, 0, 0, 0])
    await runSql('DELETE FROM validator_generations WHERE generation > 0')
  })
})
