import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { type Evidence, hashEvidence } from '../../protocol/settlement/index.ts'
import type { Env } from '../env.ts'
import hub from '../index.ts'
import { services } from '../services.ts'
import type { Member } from '../test/attested-set.ts'
import { client } from '../test/client.ts'
import { bonded, createValidators, hubAction, indexState } from '../test/evidence.ts'
import { createSeatedProject, right } from '../test/final-rounds.ts'
import type { TestNode } from '../test/node.ts'
import { minCollateral } from '../test/subscription.ts'
import { evidenceOf } from './round-evidence.ts'
import { recordDueOffences, recordRoundOffences } from './round-offences.ts'

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const hour = 3_600
const epoch = Math.floor(Date.now() / 1000 / hour) + 2
const issuedAt = epoch * hour + 100

let validators: TestNode[]
let project: Awaited<ReturnType<typeof createSeatedProject>>
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime((issuedAt + 60) * 1_000)
  validators = await createValidators(4)
  project = await createSeatedProject(5, epoch, validators)
  for (const { subscriptionId, owner } of project.members)
    await indexState('subscription', subscriptionId, bonded(minCollateral, owner.address))
})
beforeEach(async () => {
  new FakeChain().install()
  await env.DB.prepare('DELETE FROM round_offences').run()
})
afterAll(() => vi.useRealTimers())

const slashesOf = async (roundId: string) => {
  const { results } = await env.DB.prepare(
    'SELECT kind, node_id, subscription_id, evidence_hash, amount FROM slashes WHERE round_id = ? ORDER BY kind, node_id',
  )
    .bind(roundId)
    .all<{ kind: string; node_id: string; subscription_id: string; evidence_hash: string; amount: string }>()
  return results
}

const offence = (kind: string, { device, subscriptionId }: Member) => ({
  kind,
  node_id: device.nodeId,
  subscription_id: subscriptionId,
})

const isDue = async (roundId: string) =>
  (await env.DB.prepare('SELECT attempts FROM round_offences WHERE round_id = ?').bind(roundId).first()) !==
  null

describe('the offences of a round', () => {
  test('are recorded and proposed, each once, however often it is asked', async () => {
    const { drawn, roundId } = await project.publish({
      audit: 'right',
      deeds: [['one', 'two'], ['wrong'], 'missed', right, right],
    })
    const [equivocator, wrong, absent] = drawn as [Member, Member, Member]
    expect(await isDue(roundId)).toBe(true)
    await recordRoundOffences(env, roundId)
    const recorded = await slashesOf(roundId)
    expect(recorded).toMatchObject([
      offence('equivocation', equivocator),
      offence('invalid_result', wrong),
      offence('missed_sla', absent),
    ])
    for (const { evidence_hash } of recorded)
      expect(await hubAction('propose_slash', evidence_hash)).not.toBeNull()
    expect(await isDue(roundId)).toBe(false)
    await env.DB.prepare('INSERT INTO round_offences VALUES (?, 0, 0)').bind(roundId).run()
    await Promise.all([recordRoundOffences(env, roundId), recordRoundOffences(env, roundId)])
    expect(await slashesOf(roundId)).toEqual(recorded)
    expect(await isDue(roundId)).toBe(false)
  })

  test('are shown with the proofs of those that committed them', async () => {
    const { roundId, leases } = await project.publish({
      audit: 'right',
      deeds: [['wrong'], right, right, right, right],
    })
    await recordRoundOffences(env, roundId)
    const [slash] = await slashesOf(roundId)
    const proof = await client().get(`/v1/proofs/${leases[0]?.proofId}`)
    expect(await proof.json()).toMatchObject({
      rejection_reason: 'disagreed',
      slash_id: slash?.evidence_hash,
    })
  })

  test('that only the hub saw, because validators had been asked before, are recorded too', async () => {
    const { drawn, roundId } = await project.publish({
      deeds: [right, right, right, right, right],
      afterwards: { 1: 'another' },
    })
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([offence('equivocation', drawn[1] as Member)])
  })

  test('that somebody else proved before are not recorded again', async () => {
    const { roundId, file, leases } = await project.publish({
      audit: 'right',
      deeds: ['missed', right, right, right, right],
    })
    const keys = validators.map(({ publicKey }) => publicKey)
    const [own] = evidenceOf(file, leases, keys) as [Evidence]
    // Of another quorum of validators, so it is other evidence.
    const finality = (own.proof as { finality: object[] }).finality.slice(1)
    const theirs = { ...own, proof: { ...own.proof, finality } }
    expect((await client().post('/v1/slashes', theirs)).status).toBe(201)
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([{ evidence_hash: hashEvidence(theirs as Evidence) }])
    expect(await isDue(roundId)).toBe(false)
  })

  test.each([
    ['without a free slot, which was not asked', 'full' as const, 'had no free slot'],
    ['whose result no frame carries', 'too_large' as const, 'the result is too large'],
  ])('are none of a primary %s, whoever says so', async (_, deed, message) => {
    const { drawn, roundId, file, leases } = await project.publish({
      audit: 'right',
      deeds: [deed, 'missed', right, right, right],
    })
    const keys = validators.map(({ publicKey }) => publicKey)
    const asked = leases.map((lease) => ({
      ...lease,
      state: 'missed' as const,
      missedBecause: 'late' as const,
    }))
    const [theirs] = evidenceOf(file, asked, keys)
    const refused = await client().post('/v1/slashes', theirs)
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({
      error: 'invalid_evidence',
      message: expect.stringContaining(message),
    })
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([offence('missed_sla', drawn[1] as Member)])
    expect(await isDue(roundId)).toBe(false)
  })

  test('none are wanted of a round in which everybody was right, nor of one that failed', async () => {
    for (const state of ['finalized', 'failed'] as const) {
      const deeds = state === 'failed' ? [['wrong'], 'missed' as const] : [right, right, right, right, right]
      const { roundId } = await project.publish({ audit: 'right', deeds, state })
      expect(await isDue(roundId)).toBe(false)
      await recordRoundOffences(env, roundId)
      expect(await slashesOf(roundId)).toEqual([])
    }
  })

  test('wait while their round cannot be read, and are due again after a pause', async () => {
    const { roundId } = await project.publish({
      audit: 'right',
      deeds: ['missed', right, right, right, right],
    })
    const failing = {
      get: () => Promise.reject(new Error('the bucket is overloaded')),
    } as unknown as Env['ROUNDS']
    await expect(recordRoundOffences({ ...env, ROUNDS: failing }, roundId)).rejects.toThrow()
    await recordDueOffences(env)
    expect(await slashesOf(roundId)).toEqual([])
    vi.setSystemTime((issuedAt + 60 + 120) * 1_000)
    await hub.scheduled(createScheduledController(), env)
    expect(await slashesOf(roundId)).toMatchObject([{ kind: 'missed_sla' }])
    expect(await isDue(roundId)).toBe(false)
  })

  test('that the hub cannot hold against anybody keep none of the others waiting', async () => {
    const { drawn, roundId } = await project.publish({
      audit: 'right',
      deeds: [['wrong'], 'missed', right, right, right],
    })
    await env.DB.prepare('UPDATE subscriptions SET node_key = ? WHERE subscription_id = ?')
      .bind(deriveTaskRoundId({}).slice('task:'.length), drawn[0]?.subscriptionId)
      .run()
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([offence('missed_sla', drawn[1] as Member)])
    expect(await isDue(roundId)).toBe(false)
    expect(await services(env).roundOffences.due(issuedAt + 1e6, 10)).toEqual([])
  })
})
