import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { RoundObject } from '../../durable-objects/round/object.ts'
import type { Lease, Round } from '../../durable-objects/round/round.ts'
import { deriveProofId, resolveProfile } from '../../protocol/identity/index.ts'
import { isTaskVote } from '../../protocol/rounds/index.ts'
import { readSettings } from '../env.ts'
import { services } from '../services.ts'
import { evidenceOf } from '../slashing/round-evidence.ts'
import { RoundFiles } from '../stores/round-files.ts'
import { requireSet, seatedOf } from '../test/attested-set.ts'
import { client } from '../test/client.ts'
import { killObject, roundOf, type SimulatedMember, SimulatedRounds, testEpoch } from '../test/rounds.ts'
import { createRoundConfig } from './round-config.ts'

const rounds = new SimulatedRounds()

afterAll(() => vi.useRealTimers())

const leasesOf = (roundId: string) => services(env).rounds.leases(roundId)
const rowOf = (roundId: string) => services(env).rounds.find(roundId)
const fileOf = async (roundId: string) => {
  const file = await services(env).roundFiles.round(roundId)
  if (file === null) throw new Error('there is no file')
  return file
}

/** A round of which every primary has its offer, and has accepted it. */
async function accepted(body: object = {}) {
  const begun = await rounds.begun(body)
  const offers = await Promise.all(begun.primaries.map((member) => member.offer(begun.roundId)))
  for (const [i, member] of begun.primaries.entries()) member.accept(offers[i]!)
  const voters = begun.primaries.map((member, i) => ({ member, offer: offers[i]! }))
  return { ...begun, voters }
}

type Voter = { member: SimulatedMember; offer: Awaited<ReturnType<SimulatedMember['offer']>> }

async function voteAll(voters: readonly Voter[], salt = ''): Promise<void> {
  for (const { member, offer } of voters)
    expect(await member.vote(offer, salt)).toMatchObject({ type: 'voted', offer_id: offer.offer_id })
}

/** The audit block comes, and validators decide. */
async function decide(roundId: string, audits = false): Promise<void> {
  await rounds.mine(roundId, audits)
  await rounds.tick(roundId)
}

/** The leases as the object has them. */
const objectLeases = (roundId: string) =>
  runInDurableObject(roundOf(roundId), (_round, { storage }) => storage.kv.get<Round>('round')?.leases)

/** Returns once so many members are no longer awaited: what a decline says is looked into first. */
const ended = (roundId: string, count: number) =>
  vi.waitUntil(async () => {
    const leases = (await objectLeases(roundId)) ?? []
    return leases.filter(({ completedAt }) => completedAt !== null).length >= count
  })

/** Whether the object has forgotten everything. */
const isGone = async (roundId: string): Promise<boolean> =>
  (await roundOf(roundId).wait('final', 0)) === 'gone'

describe('a round with five members and four validators', () => {
  beforeAll(async () => {
    await rounds.begin()
  })
  beforeEach(async () => {
    rounds.install()
    for (const member of rounds.members) await member.forgive()
    for (const validator of rounds.validators) {
      validator.calls.length = 0
      validator.instead = null
      validator.salt = ''
    }
  })

  test('in which everybody runs alike becomes final, and pays the whole committee', async () => {
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
      expect(validator.asked('/consensus/votes')).toEqual(others)
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
    // A quorum of three, of which each is sent to all but its sender.
    await vi.waitUntil(() => sent() >= 9)
    answer()
    await ending
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized' })
  })

  test('with one dissenting vote is decided by runs of the validators', async () => {
    const { roundId, voters } = await accepted()
    const [first, second, third] = voters as [Voter, Voter, Voter]
    await voteAll([first, second])
    await voteAll([third], 'other ')
    expect(await rounds.task(roundId)).toMatchObject({
      status: 'escalated',
      output: null,
      receipt_hash: null,
    })
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ audited: true, votes: 3, agreeing: 2 })
    expect(
      (await leasesOf(roundId)).map(({ proofStatus, rejectionReason }) => [proofStatus, rejectionReason]),
    ).toEqual([
      ['verified', null],
      ['verified', null],
      ['rejected', 'disagreed'],
    ])
  })

  test('in which most are wrong credits only who was right', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters.slice(0, 2), 'wrong ')
    await voteAll(voters.slice(2))
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect((await fileOf(roundId)).finality?.voters.map(({ public_key }) => public_key)).toEqual([
      voters[2]?.member.key,
    ])
  })

  test('whose result nobody saw before shows that of the validators', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters.slice(0, 1), 'wrong ')
    await voteAll(voters.slice(1), 'strange ')
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await leasesOf(roundId)).toMatchObject(
      [0, 1, 2].map(() => ({ proofStatus: 'rejected', units: 0 })),
    )
  })

  test('asks the next backup when a primary declines', async () => {
    const { roundId, primaries, backups } = await rounds.begun()
    const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
    await primaries[0]!.decline(offers[0]!)
    const backup = { member: backups[0]!, offer: await backups[0]!.offer(roundId) }
    expect(backup.offer).toMatchObject({ role: 'backup', position: 3 })
    await voteAll([1, 2].map((i) => ({ member: primaries[i]!, offer: offers[i]! })))
    await voteAll([backup])
    await decide(roundId)
    expect(
      (await leasesOf(roundId)).map(({ state, missedBecause, proofStatus }) => [
        state,
        missedBecause,
        proofStatus,
      ]),
    ).toEqual([
      ['missed', 'declined', 'missed'],
      ['finalized', null, 'verified'],
      ['finalized', null, 'verified'],
      ['finalized', null, 'verified'],
    ])
  })

  test('excuses a member that declines while the hub does not serve what the task takes', async () => {
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
    await env.DB.prepare('DELETE FROM committee_set_attestations').run()
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

  test('asks a backup when nobody accepts in time, and still takes the vote of who was silent', async () => {
    const { roundId, primaries, backups } = await rounds.begun()
    const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
    primaries[1]!.accept(offers[1]!)
    primaries[2]!.accept(offers[2]!)
    await primaries[2]!.relay.drain()
    await rounds.passTime(11)
    await rounds.tick(roundId)
    const backup = { member: backups[0]!, offer: await backups[0]!.offer(roundId) }
    await voteAll([0, 1, 2].map((i) => ({ member: primaries[i]!, offer: offers[i]! })))
    await voteAll([backup])
    await decide(roundId)
    expect((await fileOf(roundId)).finality?.voters).toHaveLength(4)
    expect(await leasesOf(roundId)).toMatchObject(
      [0, 1, 2, 3].map(() => ({ state: 'finalized', missedBecause: null })),
    )
  })

  test('asks a backup when a vote is late, and refuses the late vote', async () => {
    const { roundId, voters, backups } = await accepted()
    await voteAll(voters.slice(1))
    await rounds.passTime(31)
    await rounds.tick(roundId)
    const offer = await backups[0]!.offer(roundId)
    expect(await voters[0]!.member.vote(voters[0]!.offer)).toMatchObject({
      type: 'error',
      code: 'invalid_state',
    })
    await voteAll([{ member: backups[0]!, offer }])
    await decide(roundId)
    expect(
      (await leasesOf(roundId)).map(({ state, missedBecause, rejectionReason }) => [
        state,
        missedBecause,
        rejectionReason,
      ]),
    ).toEqual([
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
    ).toMatchObject({
      ok: false,
      code: 'unavailable',
    })
    expect(await env.NODE_LINK.getByName(member.key).wasHeard(offer.offer_id)).toBe(false)
    away.mockRestore()
    // What comes again when the storage is back counts.
    expect(await voters[1]!.member.vote(voters[1]!.offer, large)).toMatchObject({ type: 'voted' })
    await rounds.passTime(61)
    await rounds.tick(roundId)
    expect((await objectLeases(roundId))?.map((lease) => [lease.state, lease.missedBecause])).toEqual([
      ['cancelled', 'hub_away'],
      ['voted', null],
      ['missed', 'late'],
    ])
    await decide(roundId)
  })

  test('without any vote is decided by the validators, who credit nobody', async () => {
    const { roundId, primaries } = await rounds.begun()
    await Promise.all(primaries.map((member) => member.offer(roundId)))
    await rounds.passTime(61)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated' })
    const { issuedAt } = (await rowOf(roundId)) ?? { issuedAt: 0 }
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await leasesOf(roundId)).toMatchObject(
      [0, 1, 2].map(() => ({ state: 'missed', proofStatus: 'missed' })),
    )
    expect((await fileOf(roundId)).finality).toMatchObject({ audited: true, voters: [] })
    // However late the hub noticed, the round was closed at its deadline.
    expect(rounds.validators[0]?.asked()).toMatchObject([{ agreed_at: issuedAt + 60, votes: [] }])
  })

  test('keeps both votes of a member that equivocates, and counts neither', async () => {
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
    expect((await leasesOf(roundId))[0]).toMatchObject({
      proofStatus: 'rejected',
      rejectionReason: 'disagreed',
    })
  })

  test('keeps a second vote that comes after the close as evidence, and stays clean', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    expect(await voters[0]!.member.vote(voters[0]!.offer, 'other ')).toMatchObject({
      type: 'error',
      code: 'invalid_state',
    })
    await decide(roundId)
    const { votes, evidence, finality } = await fileOf(roundId)
    expect([votes.length, evidence.length, finality?.voters.length]).toEqual([3, 1, 3])
    expect(evidence[0]?.public_key).toBe(voters[0]?.member.key)
  })

  test('that is audited is run by the validators too', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    for (const validator of rounds.validators.slice(0, 2))
      validator.instead = () => new Response(null, { status: 503 })
    await decide(roundId, true)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated', output: null })
    for (const validator of rounds.validators) validator.instead = null
    await rounds.passTime(6)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ audited: true })
    expect((await fileOf(roundId)).finality?.voters).toHaveLength(3)
  })

  test('tells the caller what is wrong with a vote that is none, and takes a good one after it', async () => {
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
    expect(await leasesOf(roundId)).toMatchObject([0, 1, 2].map(() => ({ proofStatus: 'verified' })))
  })

  test('notes that only an invalid vote came', async () => {
    const { roundId, voters } = await accepted()
    const { member, offer } = voters[2]!
    const { vote, events } = member.voteOf(offer)
    const { voted } = roundOf(roundId)
    expect(await voted(offer.offer_id, member.key, { vote, output_b64: 'AAAA', events })).toMatchObject({
      ok: false,
    })
    await voteAll(voters.slice(0, 2))
    await rounds.passTime(61)
    await rounds.tick(roundId)
    await decide(roundId)
    expect((await leasesOf(roundId))[2]).toMatchObject({
      state: 'missed',
      proofStatus: 'rejected',
      rejectionReason: 'invalid_vote',
    })
  })

  test('asks nobody twice, however often its alarm comes', async () => {
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

  test('goes on wherever its process ends', async () => {
    const { roundId, primaries } = await rounds.begun()
    const kill = () => killObject(roundOf(roundId))
    const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
    await kill()
    for (const [i, member] of primaries.entries()) {
      member.accept(offers[i]!)
      await member.relay.drain()
      await kill()
      await voteAll([{ member, offer: offers[i]! }])
      await kill()
      await rounds.tick(roundId)
    }
    expect(await rounds.task(roundId)).toMatchObject({ status: 'committee_agreed' })
    await kill()
    for (const validator of rounds.validators.slice(0, 2))
      validator.instead = () => new Response(null, { status: 503 })
    await decide(roundId)
    await kill()
    for (const validator of rounds.validators) validator.instead = null
    await rounds.passTime(6)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await leasesOf(roundId)).toMatchObject([0, 1, 2].map(() => ({ proofStatus: 'verified' })))
    expect(await isGone(roundId)).toBe(true)
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
      'where the hub is too busy to look at its deadlines',
      (round: ReturnType<typeof roundOf>) =>
        runInDurableObject(round, (object) =>
          (object as unknown as RoundObject).alarm({
            isRetry: false,
            retryCount: 0,
            scheduledTime: Date.now() - 6_000,
          }),
        ),
    ],
  ])('holds nothing against members %s', async (_, interrupt) => {
    const { roundId, primaries } = await rounds.begun()
    for (const member of primaries) await member.offer(roundId)
    await interrupt(roundOf(roundId))
    await rounds.passTime(11)
    await rounds.tick(roundId)
    await rounds.passTime(61)
    await rounds.tick(roundId)
    await decide(roundId)
    const leases = (await leasesOf(roundId)).filter(({ role }) => role === 'primary')
    expect(leases).toMatchObject(
      [0, 1, 2].map(() => ({ state: 'cancelled', missedBecause: 'hub_away', proofStatus: null })),
    )
  })

  test('holds nothing against a member whose link alone was lost, and everything against the others', async () => {
    const { roundId, voters, primaries } = await accepted()
    await Promise.all(primaries.map((member) => member.relay.drain()))
    await primaries[0]!.loseLink()
    await voteAll(voters.slice(2))
    await rounds.passTime(31)
    await rounds.tick(roundId)
    await rounds.passTime(31)
    await rounds.tick(roundId)
    await decide(roundId)
    const leases = await leasesOf(roundId)
    expect(leases.slice(0, 3)).toMatchObject([
      { state: 'cancelled', missedBecause: 'hub_away', proofStatus: null },
      { state: 'missed', missedBecause: 'late', proofStatus: 'missed' },
      { missedBecause: null },
    ])
  })

  test('waits five seconds for a link to say whether it heard its node', async () => {
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

  test('that is over is not started again by a second start', async () => {
    const { roundId, voters } = await accepted()
    const { task } = voters[0]!.offer
    await voteAll(voters)
    await decide(roundId)
    const before = await rowOf(roundId)
    const known = await services(env).tasks.find(roundId)
    await roundOf(roundId).start({
      roundId,
      taskId: known?.task.taskId ?? '',
      task,
      input: 'aGVsbG8=',
      rules: {
        committee: {
          size: 3,
          min_size: 3,
          backups: 2,
          selection: 'collateral-reputation-sortition-v1',
          weight_cap_multiple: 10,
        },
        roundSecs: 60,
        leaseSecs: 30,
        acceptSecs: 10,
        snapshotAt: task.issued_at - 120,
      },
      underfunded: false,
      paidUntil: task.issued_at + 86_400,
      startedAtMs: Date.now(),
    })
    await vi.waitUntil(() => isGone(roundId))
    expect(await rowOf(roundId)).toEqual(before)
    for (const { member } of voters) expect(await member.relay.drain()).toEqual([])
  })

  test('without a quorum of the validators asks again after growing pauses, and fails 300 s after the audit block was found', async () => {
    const { roundId, voters } = await accepted()
    await voteAll(voters)
    for (const validator of rounds.validators.slice(0, 2))
      validator.instead = () => new Response(null, { status: 500 })
    await decide(roundId)
    const asked = () => rounds.validators[3]?.asked().length
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
    await rounds.passTime(300)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'failed', error: 'no_quorum', output: null })
    expect(await leasesOf(roundId)).toMatchObject(
      [0, 1, 2].map(() => ({ state: 'cancelled', proofStatus: null, units: null })),
    )
    expect(await isGone(roundId)).toBe(true)
  })

  test('names the block that the chain has when validators are asked again', async () => {
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
    await rounds.passTime(6)
    await rounds.tick(roundId)
    // The block in its place has the round audited.
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect((await fileOf(roundId)).finality).toMatchObject({ audited: true })
    expect(rounds.validators[1]?.asked()).toMatchObject([
      { audit_block: taken },
      { audit_block: rounds.blocks.at(-1) },
    ])
  })

  test('believes no validator alone, and no vote that is not its own', async () => {
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
    await rounds.passTime(6)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
  })

  test('waits for the result of a contested round as it waits for a quorum', async () => {
    const { roundId, primaries } = await rounds.begun()
    await Promise.all(primaries.map((member) => member.offer(roundId)))
    await rounds.passTime(61)
    await rounds.tick(roundId)
    for (const validator of rounds.validators)
      validator.instead = async (path, body) => {
        if (!path.endsWith('task-rounds')) return null
        return Response.json({ ...(await validator.decide(body as never)), run: null })
      }
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'escalated' })
    for (const validator of rounds.validators) validator.instead = null
    await rounds.passTime(6)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
  })

  test('keeps a large input and output as files', async () => {
    const input = 'x'.repeat(300_000)
    const { roundId, primaries } = await rounds.begun({ input })
    const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
    const { input_url, input_b64 } = offers[0]!
    expect(input_b64).toBeUndefined()
    const { pathname } = new URL(input_url ?? '')
    const fetched = await client().get(pathname)
    expect(new TextDecoder().decode(await fetched.arrayBuffer())).toBe(input)
    const inline = Buffer.from(input).toString('base64')
    await voteAll(primaries.map((member, i) => ({ member, offer: { ...offers[i]!, input_b64: inline } })))
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: input })
    expect(await rowOf(roundId)).toMatchObject({ input: null, output: null })
    await rounds.passTime(61)
    expect((await client().get(pathname)).status).toBe(404)
    expect((await client().get('/v1/task-inputs/forged')).status).toBe(404)
  })

  test('whose result no frame carries has it from validators, and blames nobody', async () => {
    const input = 'x'.repeat(1_000_000)
    const { roundId, primaries, backups } = await rounds.begun({ input })
    for (const member of [...primaries, ...backups]) await member.decline(await member.offer(roundId))
    await ended(roundId, 5)
    for (const validator of rounds.validators) validator.eventCount = 60
    await decide(roundId)
    for (const validator of rounds.validators) validator.eventCount = 0
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: input })
    expect(await leasesOf(roundId)).toMatchObject(
      Array.from({ length: 5 }, () => ({
        state: 'cancelled',
        missedBecause: 'too_large',
        proofStatus: null,
        rejectionReason: null,
      })),
    )
    const offences = env.DB.prepare('SELECT count(*) AS count FROM round_offences WHERE round_id = ?')
    expect(await offences.bind(roundId).first('count')).toBe(0)
  })

  test('of a project that is underfunded asks no member', async () => {
    const set = (status: string) =>
      env.DB.prepare('UPDATE projects SET listing_status = ? WHERE project_id = ?')
        .bind(status, rounds.projectId)
        .run()
    await set('underfunded')
    const { roundId } = await rounds.begun()
    await set('listed')
    expect(await rounds.task(roundId)).toMatchObject({ status: 'fallback' })
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ fallback: 'underfunded', committeeSize: 0, audited: true })
    expect(await leasesOf(roundId)).toEqual([])
    expect(rounds.validators[0]?.asked()).toMatchObject([{ fallback: 'underfunded', votes: [] }])
  })

  test('asks backups at once where primaries are not connected', async () => {
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

describe('a round whose committee set cannot be read', () => {
  const unread = new SimulatedRounds()
  let stored: ArrayBuffer
  let key: string
  beforeAll(async () => {
    await unread.begin()
    const { setHash } = await requireSet(unread.projectId, testEpoch)
    key = `committee-sets/${setHash}`
    stored = await (await env.MODULES.get(key))!.arrayBuffer()
  })
  beforeEach(async () => {
    unread.install()
    await env.MODULES.delete(key)
  })
  const taken = async () => {
    const { round_id, task_id } = (await (await unread.submit()).json()) as Record<string, string>
    return { roundId: round_id!, taskId: task_id! }
  }

  test('is there for everybody, fails with a reason, and gives its place back', async () => {
    const { roundId, taskId } = await taken()
    expect(await unread.task(taskId)).toMatchObject({ status: 'running', error: null })
    await unread.passTime(361)
    await unread.tick(roundId)
    expect(await unread.task(taskId)).toMatchObject({ status: 'failed', error: 'set_unreadable' })
    expect(await isGone(roundId)).toBe(true)
    const project = env.PROJECT_COMMITTEES.getByName(unread.projectId)
    expect(await project.waitForRound(taskId, 0)).toBeNull()
  })

  test('goes on when the set is there again; after its deadline it asks nobody, and blames nobody', async () => {
    const { roundId, taskId } = await taken()
    await unread.passTime(70)
    await env.MODULES.put(key, stored)
    await unread.tick(roundId)
    await unread.mine(roundId)
    await unread.tick(roundId)
    expect(await unread.task(taskId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ committeeSize: 3, fallback: null })
    expect(await leasesOf(roundId)).toEqual([])
    const { task, finality, finality_votes } = await fileOf(roundId)
    const seats = (await seatedOf(task)).seats.filter(({ role }) => role === 'primary')
    for (const { node_key, entry } of seats) {
      const lease = { nodeKey: node_key, role: 'primary', state: 'missed', missedBecause: 'late' } as const
      const file = { ...(await fileOf(roundId)), finality, finality_votes }
      const keys = unread.validators.map(({ node }) => node.publicKey)
      const [evidence] = evidenceOf(file, [{ ...lease, subscriptionId: entry.subscription_id }], keys)
      const refused = await client().post('/v1/slashes', evidence)
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { message: expect.stringContaining('the node was not asked') },
      ])
    }
  })
})

describe('a round with too few members', () => {
  const few = new SimulatedRounds()
  beforeAll(async () => {
    await few.begin({ members: 2 })
  })
  beforeEach(() => few.install())

  test('is a fallback, which validators run', async () => {
    const { roundId } = await few.begun()
    expect(await few.task(roundId)).toMatchObject({ status: 'fallback' })
    await few.mine(roundId)
    await few.tick(roundId)
    expect(await few.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ fallback: 'too_few_members', committeeSize: 0, votes: 0 })
  })
})
