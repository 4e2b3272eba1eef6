import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { RoundObject } from '../../durable-objects/round/object.ts'
import type { Lease, Round } from '../../durable-objects/round/round.ts'
import { readSettings } from '../env.ts'
import { services } from '../services.ts'
import { RoundFiles } from '../stores/round-files.ts'
import { killObject, roundOf } from '../test/rounds.ts'
import type { SimulatedMember } from '../test/simulated-members.ts'
import { runSql } from '../test/tables.ts'
import { createRoundConfig } from './round-config.ts'
import {
  ended,
  fileOf,
  leasesOf,
  objectLeases,
  outcomes,
  rowOf,
  simulatedRounds,
  type Voter,
  voteAll,
} from './testing/simulated.ts'

const { rounds, offered, accepted, later, decide } = simulatedRounds()

describe('a round, and what its members do', () => {
  test('asks the next backup when a primary declines', async () => {
    const { roundId, voters, backups } = await offered()
    await voters[0]!.member.decline(voters[0]!.offer)
    const backup = { member: backups[0]!, offer: await backups[0]!.offer(roundId) }
    expect(backup.offer).toMatchObject({ role: 'backup', position: 3 })
    await voteAll([...voters.slice(1), backup])
    await decide(roundId)
    expect(await outcomes(roundId, 'state', 'missedBecause', 'proofStatus')).toEqual([
      ['missed', 'declined', 'missed'],
      ['finalized', null, 'verified'],
      ['finalized', null, 'verified'],
      ['finalized', null, 'verified'],
    ])
  })

  test('excuses a member that declines because the hub does not serve a file or set that the task needs', async () => {
    const { roundId, primaries } = await rounds.begun()
    const [member] = primaries as [SimulatedMember]
    const offer = await member.offer(roundId)
    const module = (await services(env).modules.find(offer.task.module_address))!
    const kept = (await env.MODULES.list()).objects.find(({ key }) => key.includes(module.manifestAddress))
    await env.MODULES.delete(kept!.key)
    await member.decline(offer)
    await ended(roundId, 1)
    await env.MODULES.put(kept!.key, new Uint8Array(1))
    const [other, last] = primaries.slice(1) as [SimulatedMember, SimulatedMember]
    await other.decline(await other.offer(roundId))
    await ended(roundId, 2)
    // A set without its quorum is one that no node accepts.
    const unattested = await last.offer(roundId)
    await runSql('DELETE FROM committee_set_attestations')
    await last.decline(unattested)
    await ended(roundId, 3)
    await rounds.attest()
    expect(await objectLeases(roundId)).toMatchObject([
      { state: 'cancelled', missedBecause: 'unserved' },
      { state: 'missed', missedBecause: 'declined' },
      { state: 'cancelled', missedBecause: 'unserved' },
      {},
      {},
    ])
  })

  test('excuses a member that is busy because its lease in another round ended a moment ago', async () => {
    const busy = await accepted()
    await rounds.passTime(31)
    await rounds.tick(busy.roundId)
    const { roundId, primaries } = await rounds.begun()
    const last = busy.voters.map(({ member }) => member)
    const [member] = primaries.filter((one) => last.includes(one)) as [SimulatedMember]
    await member.decline(await member.offer(roundId))
    await ended(roundId, 1)
    const lease = (await objectLeases(roundId))?.find(({ nodeKey }) => nodeKey === member.key)
    expect(lease).toMatchObject({ state: 'cancelled', missedBecause: 'unserved' })
    for (const one of [busy.roundId, roundId]) {
      await rounds.passTime(61)
      await rounds.tick(one)
      await decide(one)
    }
  })

  test('asks a backup if nobody accepts in time, and still accepts the vote of the silent member', async () => {
    const { roundId, voters, primaries, backups } = await offered()
    for (const { member, offer } of voters.slice(1)) member.accept(offer)
    for (const { relay } of primaries.slice(1)) await relay.drain()
    await later(roundId, 11)
    await voteAll([...voters, { member: backups[0]!, offer: await backups[0]!.offer(roundId) }])
    await decide(roundId)
    expect((await fileOf(roundId)).finality?.voters).toHaveLength(4)
    const finalized = { state: 'finalized', missedBecause: null }
    expect(await leasesOf(roundId)).toMatchObject(Array(4).fill(finalized))
  })

  test('asks a backup if a vote is late, and refuses the late vote', async () => {
    const { roundId, voters, backups } = await accepted()
    await voteAll(voters.slice(1))
    await later(roundId, 31)
    const offer = await backups[0]!.offer(roundId)
    const late = await voters[0]!.member.vote(voters[0]!.offer)
    expect(late).toMatchObject({ type: 'error', code: 'invalid_state' })
    await voteAll([{ member: backups[0]!, offer }])
    await decide(roundId)
    expect(await outcomes(roundId, 'state', 'missedBecause', 'rejectionReason')).toEqual([
      ['missed', 'late', 'late'],
      ['finalized', null, null],
      ['finalized', null, null],
      ['finalized', null, null],
    ])
  })

  test('blames no member for a vote that the hub could not store', async () => {
    const { roundId, voters } = await accepted()
    const away = vi.spyOn(RoundFiles.prototype, 'putPayload').mockRejectedValue(new Error('R2 is away'))
    const large = 'x'.repeat(5000)
    for (const { member, offer } of voters.slice(0, 2))
      expect(await member.vote(offer, large)).toMatchObject({ type: 'error', code: 'unavailable' })
    const [{ member, offer }] = voters as [Voter]
    const { vote, output_b64, events } = member.voteOf(offer, large)
    expect(
      await roundOf(roundId).voted(offer.offer_id, member.key, { vote, output_b64, events }),
    ).toMatchObject({ ok: false, code: 'unavailable' })
    expect(await env.NODE_LINK.getByName(member.key).wasHeard(offer.offer_id)).toBe(false)
    away.mockRestore()
    // A vote that is sent again when the storage is back counts.
    expect(await voters[1]!.member.vote(voters[1]!.offer, large)).toMatchObject({ type: 'voted' })
    await later(roundId, 61)
    expect((await objectLeases(roundId))?.map((lease) => [lease.state, lease.missedBecause])).toEqual([
      ['cancelled', 'hub_away'],
      ['voted', null],
      ['missed', 'late'],
    ])
    await decide(roundId)
  })

  test('confirms no copy of a vote before the vote is stored', async () => {
    const { roundId, voters } = await accepted()
    const [{ member, offer }] = voters as [Voter]
    const { vote, output_b64, events } = member.voteOf(offer)
    const answers: Promise<unknown>[] = []
    for (let copies = 0; copies < 10; copies++) {
      const answer = roundOf(roundId).voted(offer.offer_id, member.key, { vote, output_b64, events })
      answers.push(Promise.resolve(answer))
      await roundOf(roundId).waitingFor()
    }
    expect(await Promise.race(answers)).toMatchObject({ ok: true })
    expect((await objectLeases(roundId))?.[0]).toMatchObject({ state: 'voted' })
    await Promise.all(answers)
  })

  test('keeps both votes of a member that equivocates, and counts neither of them', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters.slice(0, 2))
    const cheat = voters[0]!
    await voteAll([cheat], 'other ')
    await voteAll(voters.slice(2))
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated' })
    await decide(roundId)
    const { votes, finality } = await fileOf(roundId)
    expect(votes.filter((vote) => vote.public_key === cheat.member.key)).toHaveLength(2)
    expect(finality?.voters.map(({ public_key }) => public_key)).not.toContain(cheat.member.key)
    expect((await outcomes(roundId, 'proofStatus', 'rejectionReason'))[0]).toEqual(['rejected', 'disagreed'])
  })

  test('keeps a second vote that arrives after the close as evidence, and does not count it', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    const second = await voters[0]!.member.vote(voters[0]!.offer, 'other ')
    expect(second).toMatchObject({ type: 'error', code: 'invalid_state' })
    await decide(roundId)
    const { votes, evidence, finality } = await fileOf(roundId)
    expect([votes.length, evidence.length, finality?.voters.length]).toEqual([3, 1, 3])
    expect(evidence[0]?.public_key).toBe(voters[0]?.member.key)
  })

  test('tells the sender what is wrong with an invalid vote, and accepts a valid vote afterwards', async () => {
    const { roundId, voters } = await accepted()
    const [{ member, offer }] = voters as [Voter]
    const good = member.voteOf(offer)
    const bad = [
      [{ ...good, vote: { ...good.vote, signature: `0x${'11'.repeat(64)}` } }, 'signature'],
      [{ ...good, output_b64: 'AAAA' }, 'output_b64'],
      [{ ...good, events: [] }, 'events'],
      [voters[1]!.member.voteOf(voters[1]!.offer), 'another member'],
    ] as const
    for (const [frame, what] of bad.slice(0, 2)) {
      member.relay.send({ ...frame, offer_id: offer.offer_id })
      const said = await member.relay.next()
      expect(said).toMatchObject({ type: 'error', code: 'invalid_evidence' })
      expect((said as { message: string }).message).toContain(what)
    }
    for (const [frame, what] of bad.slice(2)) {
      const { vote, output_b64, events } = frame
      const said = await roundOf(roundId).voted(offer.offer_id, member.key, { vote, output_b64, events })
      expect(said).toMatchObject({ ok: false, code: 'invalid_evidence' })
      expect((said as { message: string }).message).toContain(what)
    }
    await voteAll(voters)
    await decide(roundId)
    expect(await leasesOf(roundId)).toMatchObject(Array(3).fill({ proofStatus: 'verified' }))
  })

  test('records that a member sent only an invalid vote', async () => {
    const { roundId, voters } = await accepted()
    const { member, offer } = voters[2]!
    const { vote, events } = member.voteOf(offer)
    const body = { vote, output_b64: 'AAAA', events }
    expect(await roundOf(roundId).voted(offer.offer_id, member.key, body)).toMatchObject({ ok: false })
    await voteAll(voters.slice(0, 2))
    await later(roundId, 61)
    await decide(roundId)
    const rejected = { state: 'missed', proofStatus: 'rejected', rejectionReason: 'invalid_vote' }
    const voteProblem = 'output_b64 is not what the receipt names'
    expect((await leasesOf(roundId))[2]).toMatchObject({ ...rejected, voteProblem })
  })

  test.each([
    [
      'that another process of the hub had asked',
      async (round: ReturnType<typeof roundOf>) => {
        await runInDurableObject(round, (_, { storage }) => {
          const stored = storage.kv.get<Round>('round')
          storage.kv.put('round', { ...stored, processId: 'that of before' })
        })
        await killObject(round)
      },
    ],
    [
      'while the hub is too busy to check its deadlines',
      (round: ReturnType<typeof roundOf>) =>
        runInDurableObject(round, (object) =>
          (object as unknown as RoundObject).alarm({
            isRetry: false,
            retryCount: 0,
            scheduledTime: Date.now() - 6_000,
          }),
        ),
    ],
  ])('does not blame members %s', async (_, interrupt) => {
    const { roundId } = await offered()
    await interrupt(roundOf(roundId))
    await later(roundId, 11)
    await later(roundId, 61)
    await decide(roundId)
    const leases = (await leasesOf(roundId)).filter(({ role }) => role === 'primary')
    const excused = { state: 'cancelled', missedBecause: 'hub_away', proofStatus: null }
    expect(leases).toMatchObject(Array(3).fill(excused))
  })

  test('does not blame members if the hub stood still, and hears one of them first afterwards', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters.slice(2))
    vi.setSystemTime(Date.now() + 40_000)
    const { member, offer } = voters[0]!
    expect(await member.vote(offer)).toMatchObject({ type: 'error', code: 'invalid_state' })
    await rounds.tick(roundId)
    await later(roundId, 31)
    await decide(roundId)
    const excused = { state: 'cancelled', missedBecause: 'hub_away', proofStatus: null }
    expect((await leasesOf(roundId)).slice(0, 3)).toMatchObject([excused, excused, { missedBecause: null }])
  })

  test('does not blame a member whose link alone was lost, and blames the others', async () => {
    const { roundId, voters, primaries } = await accepted()
    await Promise.all(primaries.map((member) => member.relay.drain()))
    await primaries[0]!.loseLink()
    await voteAll(voters.slice(2))
    await later(roundId, 31)
    await later(roundId, 31)
    await decide(roundId)
    const leases = await leasesOf(roundId)
    expect(leases.slice(0, 3)).toMatchObject([
      { state: 'cancelled', missedBecause: 'hub_away', proofStatus: null },
      { state: 'missed', missedBecause: 'late', proofStatus: 'missed' },
      { missedBecause: null },
    ])
  })

  test('waits five seconds until a link says whether it heard its node', async () => {
    const { promise: later, resolve: answer } = Promise.withResolvers<boolean>()
    const asked = vi.spyOn(NodeLinkObject.prototype, 'wasHeard').mockReturnValue(later)
    const round = { terms: { roundId: `task:0x${'ab'.repeat(32)}` } } as Round
    const lease = { position: 0, nodeKey: rounds.members[0]!.key } as Lease
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() })
    try {
      const outcome = createRoundConfig(env, readSettings(env))
        .wasHeard(round, lease)
        .catch((error: Error) => error.message)
      await vi.advanceTimersByTimeAsync(5_000)
      expect(await Promise.race([outcome, Promise.resolve('waiting')])).toContain('no answer')
    } finally {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      answer(true)
      asked.mockRestore()
    }
  })

  test('whose result fits into no frame gets it from validators, and blames nobody', async () => {
    const input = 'x'.repeat(1_000_000)
    // No lease of the tests before this one ended a moment ago.
    await rounds.passTime(75)
    const { roundId, primaries, backups } = await rounds.begun({ input })
    for (const member of [...primaries, ...backups]) await member.decline(await member.offer(roundId))
    await ended(roundId, 5)
    for (const validator of rounds.validators) validator.eventCount = 60
    await decide(roundId)
    for (const validator of rounds.validators) validator.eventCount = 0
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: input })
    const excused = {
      state: 'cancelled',
      missedBecause: 'too_large',
      proofStatus: null,
      rejectionReason: null,
    }
    expect(await leasesOf(roundId)).toMatchObject(Array(5).fill(excused))
    const offences = env.DB.prepare('SELECT count(*) AS count FROM round_offences WHERE round_id = ?')
    expect(await offences.bind(roundId).first('count')).toBe(0)
  })

  test('without any vote is decided by the validators, and no member is credited', async () => {
    const { roundId } = await offered()
    await later(roundId, 61)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated' })
    const { issuedAt } = (await rowOf(roundId)) ?? { issuedAt: 0 }
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await leasesOf(roundId)).toMatchObject(Array(3).fill({ state: 'missed', proofStatus: 'missed' }))
    expect((await fileOf(roundId)).finality).toMatchObject({ audited: true, voters: [] })
    // However late the hub noticed, the round was closed at its deadline.
    expect(rounds.validators[0]?.asked()).toMatchObject([{ agreed_at: issuedAt + 60, votes: [] }])
  })

  test('asks backups at once if primaries are not connected', async () => {
    const { roundId, primaries, backups } = await (async () => {
      const first = rounds.members[0]!
      // It was there when the set was built.
      await runInDurableObject(env.NODE_LINK.getByName(first.key), (_link, { storage }) => {
        storage.kv.put('session', { ...(storage.kv.get('session') as object), sinceMs: 0 })
      })
      await evictDurableObject(env.NODE_LINK.getByName(first.key))
      await first.disconnect()
      // In any draw, the node that is gone is a primary of some task.
      for (;;) {
        const begun = await rounds.begun()
        if (begun.primaries.includes(first)) return begun
        await Promise.all(begun.primaries.map((member) => member.offer(begun.roundId)))
      }
    })()
    const there = primaries.filter((member) => member !== rounds.members[0])
    const voters = await Promise.all(
      [...there, backups[0]!].map(async (member) => ({ member, offer: await member.offer(roundId) })),
    )
    await voteAll(voters)
    await decide(roundId)
    const leases = await leasesOf(roundId)
    expect(leases.filter(({ missedBecause }) => missedBecause === 'offline')).toMatchObject([
      { nodeKey: rounds.members[0]?.key, state: 'missed', proofStatus: 'missed' },
    ])
    expect(leases.filter(({ proofStatus }) => proofStatus === 'verified')).toHaveLength(3)
  })
})
