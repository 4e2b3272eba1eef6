import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { hashEvidence } from '../../../protocol/slashing/index.ts'
import { createNode } from '../../test/callers.ts'
import { atOnce, bodyOf, client, expectRefusal, freshAddress, statusesOf } from '../../test/client.ts'
import { bonded, createAccused, createValidators, hubAction, indexState } from '../../test/evidence.ts'
import { minCollateral } from '../../test/subscription.ts'
import { rowOf, runSql } from '../../test/tables.ts'

type Json = Record<string, unknown>

const validators = await createValidators(4)
const accused = await createAccused()

const post = (evidence: unknown) => client().post('/v1/slashes', evidence)

const records = async () => {
  const [slashes, actions] = await env.DB.batch<{ n: number }>([
    env.DB.prepare('SELECT count(*) AS n FROM slashes'),
    env.DB.prepare("SELECT count(*) AS n FROM hub_actions WHERE kind = 'propose_slash'"),
  ])
  const { objects } = await env.MODULES.list({ prefix: 'evidence/' })
  return [slashes?.results[0]?.n, actions?.results[0]?.n, objects.length]
}

describe('POST /v1/slashes', () => {
  test('records two votes of one task, wants to propose the slash, and returns it for every repeat', async () => {
    const evidence = accused.equivocation()
    const hash = hashEvidence(evidence)
    const first = await post(evidence)
    expect(first.status).toBe(201)
    expect(first.headers.get('location')).toBe(`/v1/slashes/${hash}`)
    const slash = await bodyOf<Json>(first)
    expect(slash).toEqual({
      evidence_hash: hash,
      kind: 'equivocation',
      project_id: accused.projectId,
      subscription_id: accused.subscriptionId,
      node_id: accused.device.nodeId,
      round_id: evidence.round_id,
      bp: 10_000,
      amount: String(minCollateral),
      status: 'recorded',
      closed_reason: null,
      propose_tx: null,
      executable_at: null,
      taken: null,
      dispute: null,
      recovery: 'wait',
      created_at: expect.any(Number),
    })
    const again = await post(evidence)
    expect([again.status, await bodyOf(again)]).toEqual([200, slash])
    expect(await bodyOf(await client().get(`/v1/slashes/${hash}`))).toEqual({ ...slash, evidence })
    expect(await hubAction('propose_slash', hash)).toMatchObject({
      state: 'open',
      revision: 1,
      wanted: {
        subscription_id: accused.subscriptionId,
        amount: String(minCollateral),
        dispute_window_secs: '86400',
      },
    })
  })

  test('a vote against an audited result costs the share that the project defines', async () => {
    const task = accused.createTask()
    const evidence = accused.evidence('invalid_result', task, {
      vote: accused.vote(task, 'wrong'),
      finality: accused.finality(validators.slice(1), accused.record(task, 'right')),
    })
    const response = await post(evidence)
    expect([response.status, await bodyOf(response)]).toMatchObject([
      201,
      { bp: 2_500, amount: String(minCollateral / 4n) },
    ])
  })

  test('other evidence of a known offence returns the existing record', async () => {
    const task = accused.createTask()
    const first = await bodyOf(await post(accused.equivocation(task)))
    for (const outputs of [
      ['two', 'one'],
      ['two', 'three'],
    ] as const) {
      const response = await post(accused.equivocation(task, outputs))
      expect([response.status, await bodyOf(response)]).toEqual([200, first])
    }
  })

  test('of fifty concurrent proofs of one offence, one is recorded, with one wanted proposal', async () => {
    const task = accused.createTask()
    const before = await records()
    const answers = await atOnce(50, (i) => post(accused.equivocation(task, [`a${i}`, `b${i}`])))
    expect(await statusesOf(answers)).toEqual([...Array(49).fill(200), 201])
    const hashes = await Promise.all(
      answers.map(async (answer) => (await bodyOf<Json>(answer)).evidence_hash),
    )
    expect(new Set(hashes).size).toBe(1)
    expect(await records()).toEqual(before.map((n, i) => (n ?? 0) + (i < 2 ? 1 : 0)))
  })

  test('large evidence is returned as it was posted', async () => {
    const task = accused.createTask()
    const voters = Array.from({ length: 40 }, () => createNode())
      .map(({ publicKey: public_key }) => ({ public_key, payout_address: `0x${'0f'.repeat(20)}` }))
      .sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
    const evidence = accused.evidence('invalid_result', task, {
      vote: accused.vote(task, 'wrong'),
      finality: accused.finality(validators, accused.record(task, 'right', { voters })),
    })
    expect(JSON.stringify(evidence).length).toBeGreaterThan(16 * 1024)
    expect((await post(evidence)).status).toBe(201)
    const hash = hashEvidence(evidence)
    expect(await bodyOf(await client().get(`/v1/slashes/${hash}`))).toMatchObject({ evidence })
    expect(await rowOf('SELECT evidence FROM slashes WHERE evidence_hash = ?', hash)).toEqual({
      evidence: null,
    })
    const lost = { ...env.MODULES, get: () => Promise.reject(new Error('away')) } as unknown as R2Bucket
    await expectRefusal(client({ bindings: { MODULES: lost } }).get(`/v1/slashes/${hash}`), '503 unavailable')
  })

  test('if no collateral can be taken, the record is closed with the reason, and nothing is proposed', async () => {
    const free = await createAccused({
      project: { economics: { slashing_bp: { invalid_result: 0, missed_sla: 0 } } },
    })
    const task = free.createTask()
    const unpunished = free.evidence('invalid_result', task, {
      vote: free.vote(task, 'wrong'),
      finality: free.finality(validators, free.record(task, 'right')),
    })
    const poor = await createAccused({ collateral: 0n })
    for (const [evidence, closed_reason] of [
      [unpunished, 'no_penalty'],
      [poor.equivocation(), 'no_collateral'],
    ] as const) {
      const response = await post(evidence)
      expect([response.status, await bodyOf(response)]).toMatchObject([
        201,
        { amount: '0', status: 'cancelled', closed_reason, recovery: null },
      ])
      expect(await hubAction('propose_slash', hashEvidence(evidence))).toBeNull()
      expect((await post(evidence)).status).toBe(200)
    }
  })

  test('of very many offences of one subscription, those that take up to five times its collateral are proposed', async () => {
    const busy = await createAccused()
    const answers = await atOnce(25, () => post(busy.equivocation()))
    expect(await statusesOf(answers)).toEqual(Array(25).fill(201))
    const reasons = await Promise.all(
      answers.map(async (answer) => (await bodyOf<Json>(answer)).closed_reason),
    )
    expect(reasons.filter((reason) => reason === null)).toHaveLength(5)
    expect(reasons.filter((reason) => reason === 'no_collateral')).toHaveLength(20)
    const actions = await rowOf(
      `SELECT count(*) AS n FROM hub_actions WHERE kind = 'propose_slash'
        AND subject IN (SELECT evidence_hash FROM slashes WHERE subscription_id = ?)`,
      busy.subscriptionId,
    )
    expect(actions).toEqual({ n: 5 })
    const lazy = await createAccused()
    const wrong = () => {
      const task = lazy.createTask()
      const finality = lazy.finality(validators, lazy.record(task, 'right'))
      return post(lazy.evidence('invalid_result', task, { vote: lazy.vote(task, 'wrong'), finality }))
    }
    // A quarter of the collateral each.
    for (let n = 0; n < 17; n++) expect(await bodyOf(wrong())).toMatchObject({ closed_reason: null })
    expect(await bodyOf(wrong())).toMatchObject({ status: 'cancelled', closed_reason: 'no_collateral' })
  })

  test('an owner is liable for votes of a device while it was bound, but not for later ones', async () => {
    const past = await createAccused()
    const unbind = (at: number) =>
      runSql(
        "INSERT INTO bindings SELECT ?, 'unbind', node_id, public_key, owner, message, issued_at, ?, NULL, NULL, ? FROM bindings WHERE node_id = ?",
        `0x${at.toString(16).padStart(64, '0')}`,
        `nonce${at}`,
        at,
        past.device.nodeId,
      )
    const now = Math.floor(Date.now() / 1000)
    await unbind(now + 1)
    expect((await post(past.equivocation())).status).toBe(201)
    await runSql(
      'UPDATE bindings SET accepted_at = accepted_at - 90000 WHERE node_id = ?',
      past.device.nodeId,
    )
    await expectRefusal(post(past.equivocation()), '422 invalid_evidence', {
      message: expect.stringContaining('not that of the key'),
    })
  })
})

describe('a body that is not evidence', () => {
  test('400 for a malformed body, and 413 or 400 for a body that is too large', async () => {
    const { proof: _, ...rest } = accused.equivocation()
    const wrong = { ...rest, v: 2, kind: 'laziness', round_id: 'x', epoch: -1, proof: [], more: 1 }
    const paths = ['v', 'kind', 'epoch', 'round_id', 'proof', 'more']
    const problems = expect.arrayContaining(paths.map((path) => expect.objectContaining({ path })))
    await expectRefusal(post(wrong), '400 invalid_field', { details: { problems } })
    const many = { ...accused.equivocation(), proof: { vote: {}, finality: Array(20_000).fill({}) } }
    await expectRefusal(post(many), '400 bad_request')
    const huge = { ...accused.equivocation(), proof: { first: 'x'.repeat(1_100_000) } }
    await expectRefusal(post(huge), '413 too_large')
  })

  test('429 after thirty requests in a minute from one client address', async () => {
    const address = freshAddress()
    const statuses = []
    for (let i = 0; i < 31; i++)
      statuses.push((await client({ address }).post('/v1/slashes', { v: 1 })).status)
    expect(statuses).toEqual([...Array(30).fill(400), 429])
  })
})

test('a slash that is not proposed yet blocks the withdrawal, and counts as pending', async () => {
  const leaving = await createAccused()
  await indexState('subscription', leaving.subscriptionId, {
    ...bonded(minCollateral, leaving.owner.address),
    status: 'unbonding',
    release_at: 5,
  })
  expect((await post(leaving.equivocation())).status).toBe(201)
  const path = `/v1/subscriptions/${leaving.subscriptionId}`
  expect(await bodyOf(await client().get(path))).toMatchObject({ status: 'withdrawable', pending_slashes: 1 })
  expect(await bodyOf(await leaving.owner.client.get('/v1/me/collateral'))).toMatchObject({
    pending_slashes: 1,
  })
  await expectRefusal(leaving.owner.client.post(`${path}/withdraw`), '409 invalid_state', {
    details: { pending_slashes: 1 },
  })
})
