import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import type { Round } from '../../durable-objects/round/round.ts'
import { deriveProofId, resolveProfile } from '../../protocol/identity/index.ts'
import { isTaskVote } from '../../protocol/rounds/index.ts'
import { bodyOf, client, itemsOf } from '../test/client.ts'
import { killObject, roundOf } from '../test/rounds.ts'
import { createRoundsClient } from './client.ts'
import {
  fileOf,
  isGone,
  leasesOf,
  outcomes,
  rowOf,
  simulatedRounds,
  type Voter,
  voteAll,
} from './testing/simulated.ts'

const { rounds, offered, accepted, later, silence, decide } = simulatedRounds()

describe('a round with five members and four validators', () => {
  test('in which all members agree becomes final, and pays the whole committee', async () => {
    const { roundId, voters } = await accepted()
    const before = Date.now() / 1000
    await voteAll(voters)
    expect(await rounds.task(roundId)).toMatchObject({
      task_id: roundId,
      round_id: roundId,
      status: 'committee_agreed',
      output: 'hello',
      events: [{ name: 'ran', data: 'echo' }],
      gas_used: 1_500_000,
      finalized_at: null,
    })
    await decide(roundId)
    const row = await rowOf(roundId)
    expect(await rounds.task(roundId)).toMatchObject({
      status: 'finalized',
      output: 'hello',
      success: true,
      error: null,
      finalized_at: before + 1,
    })
    expect(row).toMatchObject({ state: 'finalized', committeeSize: 3, votes: 3, agreeing: 3, audited: false })
    const profile = resolveProfile()
    expect(await leasesOf(roundId)).toMatchObject(
      voters.map(({ member }, position) => ({
        position,
        role: 'primary',
        nodeKey: member.key,
        owner: member.member.owner.address,
        subscriptionId: member.member.subscriptionId,
        state: 'finalized',
        proofId: deriveProofId(profile, roundId, member.key),
        proofStatus: 'verified',
        rejectionReason: null,
        receiptHash: row?.receiptHash,
        units: 2,
      })),
    )
    const file = await fileOf(roundId)
    expect(file.votes.every(isTaskVote)).toBe(true)
    expect(file).toMatchObject({ round_id: roundId, evidence: [], finality: { audited: false } })
    expect(file.finality?.voters).toHaveLength(3)
    expect(await isGone(roundId)).toBe(true)
    // Nobody had to run the task again, and everybody has what makes it final.
    for (const validator of rounds.validators) {
      const others = file.finality_votes.filter((vote) => vote.public_key !== validator.node.publicKey)
      expect(validator.asked('/consensus/votes')).toEqual([{ votes: others }])
      expect(validator.asked()).toMatchObject([
        { agreed_at: before, fallback: null, audit_block: { timestamp: before + 1 } },
      ])
    }
  })

  test('sends validators each other’s votes at once, even if some do not answer', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    const { promise: answering, resolve: answer } = Promise.withResolvers<void>()
    for (const validator of rounds.validators)
      validator.instead = async (path) => {
        if (path === '/consensus/votes') await answering
        return null
      }
    const ending = decide(roundId)
    const sent = () => rounds.validators.reduce((sum, one) => sum + one.asked('/consensus/votes').length, 0)
    // In one call each.
    await vi.waitUntil(() => sent() >= 4)
    answer()
    await ending
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized' })
  })

  test('with one dissenting vote is decided by the results of the validators', async () => {
    const { roundId, voters } = await accepted()
    const [first, second, third] = voters as [Voter, Voter, Voter]
    await voteAll([first, second])
    await voteAll([third], 'other ')
    const undecided = { status: 'escalated', output: null, receipt_hash: null }
    expect(await rounds.task(roundId)).toMatchObject(undecided)
    for (const name of [roundId, roundId.slice('task:'.length)])
      expect(await itemsOf(client().get(`/v1/explorer/search?q=${name}`))).toMatchObject([
        { type: 'round', id: roundId, label: expect.stringContaining('(escalated)') },
      ])
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ audited: true, votes: 3, agreeing: 2 })
    expect(await outcomes(roundId, 'proofStatus', 'rejectionReason')).toEqual([
      ['verified', null],
      ['verified', null],
      ['rejected', 'disagreed'],
    ])
  })

  test('in which most members are wrong credits only those that were right', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters.slice(0, 2), 'wrong ')
    await voteAll(voters.slice(2))
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    const credited = (await fileOf(roundId)).finality?.voters.map(({ public_key }) => public_key)
    expect(credited).toEqual([voters[2]?.member.key])
  })

  test('whose correct result no member had shows that of the validators', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters.slice(0, 1), 'wrong ')
    await voteAll(voters.slice(1), 'strange ')
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await leasesOf(roundId)).toMatchObject(Array(3).fill({ proofStatus: 'rejected', units: 0 }))
  })

  test('that is audited is run by the validators too', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    silence(rounds.validators.slice(0, 2))
    await decide(roundId, true)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated', output: null })
    silence([])
    await later(roundId, 6)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ audited: true })
    expect((await fileOf(roundId)).finality?.voters).toHaveLength(3)
  })

  test('asks nobody twice, however often its alarm fires', async () => {
    const { roundId, voters } = await accepted()
    for (let i = 0; i < 5; i++) await rounds.tick(roundId)
    for (const { member } of voters) expect(await member.relay.drain()).toEqual([])
    await voteAll(voters)
    for (let i = 0; i < 5; i++) await rounds.tick(roundId)
    await rounds.mine(roundId)
    await Promise.all([1, 2, 3].map(() => rounds.tick(roundId)))
    expect(rounds.validators.map((validator) => validator.asked().length)).toEqual([1, 1, 1, 1])
    expect(await rounds.tick(roundId)).toBe(false)
  })

  test('continues after its process ends at any step', async () => {
    const { roundId, voters } = await offered()
    const kill = () => killObject(roundOf(roundId))
    await kill()
    for (const voter of voters) {
      voter.member.accept(voter.offer)
      await voter.member.relay.drain()
      await kill()
      await voteAll([voter])
      await kill()
      await rounds.tick(roundId)
    }
    expect(await rounds.task(roundId)).toMatchObject({ status: 'committee_agreed' })
    await kill()
    silence(rounds.validators.slice(0, 2))
    await decide(roundId)
    await kill()
    silence([])
    await later(roundId, 6)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await leasesOf(roundId)).toMatchObject(Array(3).fill({ proofStatus: 'verified' }))
    expect(await isGone(roundId)).toBe(true)
  })

  test('that is over is not restarted by a second start', async () => {
    const { roundId, voters } = await accepted()
    const round = roundOf(roundId)
    const { terms } = (await runInDurableObject(round, (_, { storage }) => storage.kv.get<Round>('round')))!
    await voteAll(voters)
    await decide(roundId)
    const before = await rowOf(roundId)
    await createRoundsClient(env)(roundId).start(terms, true)
    await vi.waitUntil(() => isGone(roundId))
    expect(await rowOf(roundId)).toEqual(before)
    for (const { member } of voters) expect(await member.relay.drain()).toEqual([])
  })

  test('whose record was stored before its process ended stays over, and asks nobody again', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    const object = roundOf(roundId)
    const stored = await runInDurableObject(object, (_, { storage }) => storage.kv.get<Round>('round'))
    await decide(roundId)
    await vi.waitUntil(() => isGone(roundId))
    const over = await rounds.task(roundId)
    const asked = rounds.validators.map((validator) => validator.asked().length)
    // The object as its process would have left it, had it ended after the record was stored.
    await runInDurableObject(object, async (_, { storage }) => {
      storage.kv.put('round', stored)
      await storage.setAlarm(Date.now() + 60_000)
    })
    await evictDurableObject(object)
    expect(over.status).toBe('finalized')
    for (const query of ['', '?wait=5'])
      expect(await bodyOf(client().get(`/v1/tasks/${encodeURIComponent(roundId)}${query}`))).toEqual(over)
    await rounds.tick(roundId)
    await vi.waitUntil(() => isGone(roundId))
    expect(await runInDurableObject(object, (_, { storage }) => storage.kv.get('round'))).toBeUndefined()
    expect(rounds.validators.map((validator) => validator.asked().length)).toEqual(asked)
  })

  test('without a quorum of validators asks again after growing pauses, and fails 300 s after the audit block', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    silence(rounds.validators.slice(0, 2))
    await decide(roundId)
    const asked = () => rounds.validators[0]?.asked().length
    expect(asked()).toBe(1)
    const pauses = [5, 10, 20, 40, 80]
    for (const [i, pause] of pauses.entries()) {
      await rounds.passTime(pause - 1)
      await rounds.tick(roundId)
      expect(asked()).toBe(i + 1)
      await rounds.passTime(1)
      await rounds.tick(roundId)
      expect(asked()).toBe(i + 2)
    }
    // Validators that have voted are not asked again.
    expect(rounds.validators[3]?.asked()).toHaveLength(1)
    await later(roundId, 300)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'failed', error: 'no_quorum', output: null })
    expect(await leasesOf(roundId)).toMatchObject(
      Array(3).fill({ state: 'cancelled', proofStatus: null, units: null }),
    )
    expect(await isGone(roundId)).toBe(true)
  })

  test('names the present block of the chain when it asks validators again', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    await rounds.mine(roundId)
    const taken = rounds.blocks.at(-1)
    // It comes after the hub has read the block, and before any validator does.
    const reorganise = async () => {
      rounds.blocks.pop()
      await rounds.mine(roundId, true)
    }
    let reorganisation: Promise<void> | undefined
    for (const validator of rounds.validators)
      validator.instead = async (path, body) => {
        if (!path.endsWith('task-rounds')) return null
        reorganisation ??= reorganise()
        await reorganisation
        const { audit_block: named } = body as { audit_block: { number: number; hash: string } }
        const mined = rounds.blocks.find(({ number }) => number === named.number)
        return mined?.hash === named.hash ? null : new Response(null, { status: 422 })
      }
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'committee_agreed' })
    await later(roundId, 6)
    // The block in its place has the round audited.
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect((await fileOf(roundId)).finality).toMatchObject({ audited: true })
    expect(rounds.validators[1]?.asked()).toMatchObject([
      { audit_block: taken },
      { audit_block: rounds.blocks.at(-1) },
    ])
  })

  test('does not trust a single validator, or a vote that belongs to another one', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    const [liar, thief, forger] = rounds.validators as [never, never, never] as typeof rounds.validators
    liar!.salt = 'lie '
    // One gives another validator's vote, one its own with a run that does not fit it.
    thief!.instead = async (path, body) =>
      path.endsWith('task-rounds') ? Response.json(await rounds.validators[3]!.decide(body as never)) : null
    await decide(roundId, true)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated' })
    thief!.instead = null
    forger!.instead = async (path, body) => {
      if (!path.endsWith('task-rounds')) return null
      const { vote, run } = await forger!.decide(body as never)
      return Response.json({ vote, run: run && { ...run, output_b64: 'AAAA' } })
    }
    await later(roundId, 6)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
  })

  test('waits for the result of a contested round as long as for a quorum', async () => {
    const { roundId } = await offered()
    await later(roundId, 61)
    for (const validator of rounds.validators)
      validator.instead = async (path, body) => {
        if (!path.endsWith('task-rounds')) return null
        return Response.json({ ...(await validator.decide(body as never)), run: null })
      }
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated' })
    silence([])
    await later(roundId, 6)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
  })

  test('stores a large input and output as files', async () => {
    const input = 'x'.repeat(300_000)
    const { roundId, voters } = await offered({ input })
    const { input_url, input_b64 } = voters[0]!.offer
    expect(input_b64).toBeUndefined()
    const { pathname } = new URL(input_url ?? '')
    const fetched = await client().get(pathname)
    expect(new TextDecoder().decode(await fetched.arrayBuffer())).toBe(input)
    const inline = Buffer.from(input).toString('base64')
    await voteAll(voters.map(({ member, offer }) => ({ member, offer: { ...offer, input_b64: inline } })))
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: input })
    expect(await rowOf(roundId)).toMatchObject({ input: null, output: null })
    await rounds.passTime(61)
    expect((await client().get(pathname)).status).toBe(404)
    expect((await client().get('/v1/task-inputs/forged')).status).toBe(404)
  })

  test('of a project that is underfunded asks no member', async () => {
    const update = env.DB.prepare('UPDATE projects SET listing_status = ? WHERE project_id = ?')
    await update.bind('underfunded', rounds.projectId).run()
    const { roundId } = await rounds.begun()
    await update.bind('listed', rounds.projectId).run()
    expect(await rounds.task(roundId)).toMatchObject({ status: 'fallback' })
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ fallback: 'underfunded', committeeSize: 0, audited: true })
    expect(await leasesOf(roundId)).toEqual([])
    expect(rounds.validators[0]?.asked()).toMatchObject([{ fallback: 'underfunded', votes: [] }])
  })
})
