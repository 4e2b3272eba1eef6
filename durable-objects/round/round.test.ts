import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { createReceipt, hashReceipt } from '../../protocol/execution/index.ts'
import {
  defaultNetworkParams,
  deriveNodeId,
  deriveTaskRoundId,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import {
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  isAgreedAtAcceptable,
  type KeptCommittee,
  type Task,
  tallyVotes,
} from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { dueEffects, type Effect, nextTime } from './due.ts'
import {
  agreedAtOf,
  beginRound,
  deadlineOf,
  publicState,
  type Result,
  type Round,
  type RoundTerms,
  waitingFor,
} from './round.ts'
import { isAtFault } from './states.ts'
import {
  accepted,
  answered,
  auditBlockFound,
  cancelled,
  confirmed,
  declined,
  isVoteAwaited,
  offered,
  offering,
  passTime,
  refused,
  resumed,
  seated,
  voteCame,
  voted,
  voteJudged,
} from './transitions.ts'

const profile = resolveProfile()
const start = 3_600_000
const payout = `0x${'a0'.repeat(20)}`
const seeds = [0, 1, 2, 3, 4].map((i) => hashText(`member ${i}`))
const validatorSeeds = [0, 1, 2, 3].map((i) => hashText(`validator ${i}`))
const validators = validatorSeeds.map((seed) => ed25519PublicKey(seed))

const task: Task = {
  v: 1,
  project_id: hashText('project'),
  consensus_hash: hashText('consensus'),
  epoch: 1_000,
  seq: 0,
  set_hash: hashText('set'),
  module_address: hashText('module'),
  function: 'echo',
  input_hash: hashText('input'),
  gas_limit: 1_000_000,
  issued_at: start,
}
const rules = {
  committee: { size: 3, min_size: 3, backups: 2 },
  roundSecs: 60,
  leaseSecs: 30,
  acceptSecs: 10,
  snapshotAt: start - 120,
}
const terms = {
  roundId: deriveTaskRoundId(task),
  taskId: 'task',
  task,
  input: '',
  rules,
  underfunded: false,
  paidUntil: start + 86_400,
  startedAtMs: 0,
} as unknown as RoundTerms

const processId = 'a process'

const drawn: KeptCommittee = {
  set_hash: task.set_hash,
  snapshot: { project_id: task.project_id, epoch: task.epoch },
  seq: 0,
  committee: { k_eff: 3, b_eff: 2, q: 3, fallback: false },
  seats: seeds.map((seed, position) => {
    const node_key = ed25519PublicKey(seed)
    return {
      position,
      role: position < 3 ? 'primary' : 'backup',
      node_key,
      node_id: deriveNodeId(profile, node_key),
      weight: '1',
      entry: {
        node_key,
        subscription_id: hashText(seed),
        owner: payout,
        payout_address: payout,
        collateral: '1',
        reputation: 5_000,
        binding_hash: hashText(seed),
      },
    }
  }),
}

const receiptOf = (gas_used: number) =>
  createReceipt({
    module_address: task.module_address,
    function: task.function,
    input: new TextEncoder().encode('input'),
    output: new Uint8Array(),
    events: [],
    gas_used,
    success: true,
  })
const receipts = [receiptOf(1), receiptOf(2)]
const results: Result[] = receipts.map((receipt) => ({
  receipt,
  output: '',
  events: [],
  fitsVote: true,
}))
/** Signed once: what a member of these tests may vote. */
const ballots = seeds.map((seed, position) =>
  receipts.map((receipt) =>
    createTaskVote(profile, seed, { task, receipt, payout_address: payout, position }),
  ),
)
const voteOf = (round: Round, position: number, choice: number, now: number) =>
  voted(round, ballots[position]![choice]!, results[choice]!, now)

const block = { number: 7, hash: hashText('block'), timestamp: start + 100 }
const begun = () => ({ ...seated(beginRound(terms, processId), drawn, start), published: 'pending' as const })
const told = (round: Round, now = start) =>
  round.leases.reduce((one, { position }) => offered(one, position, 'offered', now), round)
const kinds = (round: Round, now = start) => dueEffects(round, now).map(({ kind }) => kind)

describe('a round', () => {
  test('is read of before anybody is asked, and asks all primaries at once', () => {
    const round = seated(beginRound(terms, processId), drawn, start)
    expect(kinds(beginRound(terms, processId))).toEqual(['publish', 'seat'])
    expect(kinds(round)).toEqual(['publish'])
    expect(kinds(begun())).toEqual(['offer', 'offer', 'offer'])
  })

  test('is read of while its committee cannot be drawn, again once it is, and fails some time after its deadline', () => {
    const undrawn = { ...beginRound(terms, processId), published: 'pending' as const }
    expect(kinds(undrawn)).toEqual(['seat'])
    expect(seated(undrawn, drawn, start).published).toBeNull()
    expect(nextTime(undrawn, start)).toBe(start + 361)
    expect(passTime(undrawn, start + 360)).toBe(undrawn)
    const failed = passTime(undrawn, start + 361)
    expect(failed.outcome).toEqual({ state: 'failed', error: 'set_unreadable', at: start + 361 })
    expect(kinds(failed)).toEqual(['publish'])
    expect(kinds({ ...failed, published: 'failed' })).toEqual(['spread'])
    expect(seated(failed, drawn, start + 400)).toBe(failed)
  })

  test('gives each lease its times, none of them beyond the deadline', () => {
    expect(begun().leases[0]).toMatchObject({ acceptBy: start + 10, voteBy: start + 30 })
    const late = declined(told(begun()), 0, true, start + 45)
    expect(late.leases.at(-1)).toMatchObject({ voteBy: start + 60 })
  })

  test('looks again when the first time is over', () => {
    expect(nextTime(told(begun()), start)).toBe(start + 11)
    const all = [0, 1, 2].reduce((round, i) => accepted(round, i, start), told(begun()))
    expect(nextTime(all, start)).toBe(start + 31)
  })

  test('looks again when validators are to be asked again, and not while they are asked', () => {
    const few = { ...drawn, seats: [], committee: { ...drawn.committee, fallback: true } }
    const closed = auditBlockFound(seated(beginRound(terms, 'a process'), few, start), block, false, start)
    expect(nextTime(closed, start)).toBeNull()
    const refused = answered(closed, { votes: [], results: {}, validators }, { now: start, ms: 1 })
    expect(nextTime(refused, start)).toBe(start + 5)
  })

  test('asks a backup for each primary that fails, and none for a backup', () => {
    const one = declined(told(begun()), 0, true, start)
    expect(one.leases).toHaveLength(4)
    expect(declined(told(one), 3, true, start).leases).toHaveLength(4)
    expect(declined(told(one), 1, true, start).leases).toHaveLength(5)
  })

  test('waits for a slot of a member as long as for an answer, and then asks the next; nobody has missed anything', () => {
    const told = [0, 2].reduce((round, i) => offered(round, i, 'offered', start), begun() as Round)
    const waiting = offered(told, 1, 'full', start)
    expect(waiting.leases[1]).toMatchObject({ state: 'offering', isFull: true })
    expect(kinds(waiting)).toEqual(['offer'])
    expect(waiting.leases).toHaveLength(3)

    const free = offered(offering(waiting, 1, start + 9), 1, 'offered', start + 9)
    expect(free.leases[1]).toMatchObject({ state: 'offered', acceptBy: start + 19, voteBy: start + 39 })

    const passed = passTime(waiting, start + 11)
    expect(passed.leases[1]).toMatchObject({ state: 'cancelled', missedBecause: 'full' })
    expect(passed.leases[3]).toMatchObject({ role: 'backup', state: 'offering' })
  })

  test('holds nothing against a member that the hub did not come to tell, and dates its lease from when it is told', () => {
    const told = offered(begun(), 0, 'offered', start)
    expect(passTime(told, start + 11).leases[2]).toMatchObject({
      state: 'cancelled',
      missedBecause: 'not_told',
    })
    const late = offered(offering(told, 2, start + 9), 2, 'offered', start + 9)
    expect(late.leases[2]).toMatchObject({ state: 'offered', acceptBy: start + 19 })
  })

  test('waits for a member that lost its connection, and holds nothing against one that does not come back in time', () => {
    const told = [0, 2].reduce((round, i) => offered(round, i, 'offered', start), begun() as Round)
    const waiting = offered(told, 1, 'away', start)
    expect(waiting.leases[1]).toMatchObject({ state: 'offering' })
    expect(kinds(waiting)).toEqual(['offer'])
    const passed = passTime(waiting, start + 11)
    expect(passed.leases[1]).toMatchObject({ state: 'cancelled', missedBecause: 'not_told' })
    expect(passed.leases[3]).toMatchObject({ role: 'backup', state: 'offering' })
  })

  test('holds nothing against members that the hub was not there to hear', () => {
    const before = accepted(told(begun()), 0, start + 1)
    expect(resumed(before, processId)).toBe(before)
    const after = resumed(before, 'another process')
    expect(passTime(after, start + 11).leases.slice(0, 3)).toMatchObject([
      { state: 'leased' },
      { state: 'cancelled', missedBecause: 'hub_away' },
      { state: 'cancelled', missedBecause: 'hub_away' },
    ])
    expect(passTime(after, start + 31).leases[0]).toMatchObject({
      state: 'cancelled',
      missedBecause: 'hub_away',
    })
    // A member that is asked afterwards owes its vote as usual.
    const replaced = passTime(after, start + 11)
    const silent = passTime(offered(replaced, 3, 'offered', start + 11), start + 22)
    expect(silent.leases[3]).toMatchObject({ state: 'missed', missedBecause: 'not_accepted' })
    expect(declined(after, 0, true, start + 2).leases[0]).toMatchObject({ missedBecause: 'declined' })
    expect(voteOf(replaced, 1, 0, start + 12).leases[1]).toMatchObject({
      state: 'voted',
      missedBecause: null,
    })
  })

  test('counts a vote by when it came, and blames nobody for what the hub takes to look at it', () => {
    const before = accepted(told(begun()), 0, start + 1)
    const came = voteCame(before, 0, start + 30)
    expect(passTime(came, start + 31).leases[0]).toMatchObject({
      state: 'cancelled',
      missedBecause: 'hub_away',
    })
    const judged = voteJudged(came, before.leases[0]!)
    expect(judged.leases[0]).toEqual(before.leases[0])
    expect(passTime(judged, start + 31).leases[0]).toMatchObject({ state: 'missed', missedBecause: 'late' })
    // After its time there is nothing to wait for.
    expect(voteCame(before, 0, start + 31)).toBe(before)
    expect(voteOf(passTime(came, start + 31), 0, 0, start + 30).leases[0]).toMatchObject({ state: 'voted' })
  })

  test('asks the links of late members whether they heard everything, before validators are asked', () => {
    const open = [0, 1].reduce((round, i) => accepted(round, i, start + 1), told(begun()))
    const closed = auditBlockFound(passTime(open, start + 60), block, false, start + 60)
    const late = { ...closed, published: publicState(closed) }
    expect(kinds(late, start + 60)).toEqual(['confirm', 'confirm'])
    const one = confirmed(late, 0, true)
    expect(kinds(one, start + 60)).toEqual(['confirm'])
    const both = confirmed(one, 1, false)
    expect(both.leases.slice(0, 2)).toMatchObject([
      { state: 'missed', missedBecause: 'late' },
      { state: 'cancelled', missedBecause: 'hub_away' },
    ])
    expect(confirmed(both, 0, false)).toBe(both)
    expect(kinds({ ...both, published: publicState(both) }, start + 60)).toEqual(['ask'])
  })

  test('agrees when the last of its votes came, whichever was looked at last', () => {
    const first = voteOf(voteOf(told(begun()), 0, 0, start + 6), 1, 0, start + 5)
    expect(voteOf(first, 2, 0, start + 1).agreedAt).toBe(start + 6)
  })

  test('is at fault: a member that left, declined or was late, each with its offer; nobody else', () => {
    const faultOf = (round: Round, position = 0) => {
      const { state, missedBecause } = round.leases[position]!
      expect(state === 'missed' || state === 'cancelled').toBe(true)
      return [missedBecause, isAtFault({ state: state as 'missed', missedBecause })]
    }
    const open = told(begun())
    const afterAnswer = (round: Round) => passTime(round, start + 70)
    expect(faultOf(afterAnswer(accepted(open, 0, start + 1)))).toEqual(['late', true])
    expect(faultOf(declined(open, 0, true, start))).toEqual(['declined', true])
    expect(faultOf(declined(open, 0, false, start))).toEqual(['unserved', false])
    expect(faultOf(declined(open, 0, true, start + 9))).toEqual(['declined', true])
    // It read until it could no longer accept, and the hub had not looked since.
    expect(faultOf(declined(open, 0, true, start + 10))).toEqual(['not_accepted', false])
    expect(faultOf(declined(accepted(open, 0, start + 1), 0, true, start + 10))).toEqual(['declined', true])
    expect(faultOf(offered(begun(), 0, 'offline', start))).toEqual(['offline', true])
    expect(faultOf(offered(begun(), 0, 'absent', start))).toEqual(['absent', false])
    expect(faultOf(offered(begun(), 0, 'dropped', start))).toEqual(['hub_away', false])
    // The frame was sent; whether it arrived nobody knows.
    expect(faultOf(afterAnswer(open))).toEqual(['not_accepted', false])
    // A vote says that it did, also where the vote is invalid.
    expect(faultOf(afterAnswer(refused(open, 0, 'invalid_vote')))).toEqual(['late', true])
    expect(faultOf(refused(passTime(open, start + 11), 0, 'late'))).toEqual(['late', true])
  })

  test('that begins late asks for what there is time for, and blames nobody whom it left too little', () => {
    const begunAt = (now: number) => {
      const round = seated(beginRound(terms, processId), drawn, now)
      return passTime(accepted(told(round, now), 0, now), start + 61)
    }
    expect(begunAt(start + 35).leases[0]).toMatchObject({ state: 'missed', missedBecause: 'late' })
    expect(begunAt(start + 45).leases[0]).toMatchObject({ state: 'cancelled', missedBecause: 'cut_short' })
    expect(seated(beginRound(terms, processId), drawn, start + 61).leases).toEqual([])
  })

  test('is closed with the last vote, and at its deadline however late that is noticed', () => {
    const all = [0, 1, 2].reduce((round, i) => voteOf(round, i, 0, start + i), told(begun()))
    expect([all.closedAt, agreedAtOf(all), publicState(all)]).toEqual([
      start + 2,
      start + 2,
      'committee_agreed',
    ])
    // While the committee works, nothing else is waited for.
    expect(waitingFor(voteOf(told(begun()), 0, 0, start))).toBeNull()
    expect(waitingFor(all)).toEqual({ code: 'audit_block', since: start + 2, until: null })
    const late = passTime(told(begun()), start + 5_000)
    expect([late.closedAt, agreedAtOf(late), publicState(late)]).toEqual([
      start + 60,
      start + 60,
      'escalated',
    ])
  })

  test('that agreed and then meets dissent is escalated', () => {
    const four = declined(told(begun()), 0, true, start)
    const agreed = [1, 2, 3].reduce((round, i) => voteOf(round, i, 0, start + 5), told(four))
    expect(publicState(agreed)).toBe('committee_agreed')
  })

  test('waits for its audit block however long the chain is silent, and then as long as any other for a quorum', () => {
    const closed = { ...passTime(told(begun()), start + 60), published: 'escalated' as const }
    expect(kinds(closed, start + 5_000)).toEqual(['find_audit_block'])
    const found = auditBlockFound(closed, block, false, start + 5_000)
    expect(kinds(found, start + 5_000)).toEqual(['ask'])
    const unanswered = { votes: [], results: {}, validators }
    const asked = (round: Round, now: number) => answered(round, unanswered, { now, ms: 1 })
    const once = asked(found, start + 5_000)
    expect([once.outcome, once.asking.nextAt]).toEqual([null, start + 5_005])
    expect(asked(once, start + 5_299).outcome).toBeNull()
    expect(asked(once, start + 5_300).outcome).toEqual({ state: 'failed', at: start + 5_300 })
  })

  test('that nobody can be drawn for, or nobody can be paid in, is closed at once', () => {
    const few = { ...drawn, seats: [], committee: { ...drawn.committee, fallback: true } }
    const round = seated(beginRound(terms, processId), few, start)
    expect([publicState(round), round.closedAt, round.leases.length]).toEqual(['fallback', start, 0])
    const poor = seated(beginRound({ ...terms, underfunded: true }, processId), drawn, start)
    expect([publicState(poor), poor.closedAt, poor.leases.length]).toEqual(['fallback', start, 0])
  })

  test.each([-2, -1, 1, 2])('dates nothing before its task where clocks differ by %i s', (skew) => {
    const at = start + skew
    const few = { ...drawn, seats: [], committee: { ...drawn.committee, fallback: true } }
    const fallback = seated(beginRound(terms, processId), few, at)
    const limits = { round_secs: rules.roundSecs, max_skew: 300 }
    // The time of the validator that is asked.
    expect(isAgreedAtAcceptable(agreedAtOf(fallback)!, task, limits, start)).toBe(true)

    const open = told({ ...seated(beginRound(terms, processId), drawn, at), published: 'pending' }, at)
    for (const lease of open.leases) {
      expect(lease.createdAt).toBe(Math.max(start, at))
      expect(lease.acceptBy).toBe(lease.createdAt + rules.acceptSecs)
      expect(lease.voteBy).toBe(lease.createdAt + rules.leaseSecs)
    }
    const silent = passTime(open, start + 41)
    for (const lease of silent.leases) expectInOrder(start, lease.createdAt, lease.completedAt, start + 60)
    const agreed = [0, 1, 2].reduce((round, i) => voteOf(round, i, 0, at), open)
    expect(isAgreedAtAcceptable(agreedAtOf(agreed)!, task, limits, start)).toBe(true)
    expectInOrder(start, agreed.agreedAt, agreed.closedAt, start + 60)
    for (const { receivedAt } of agreed.votes) expectInOrder(start, receivedAt, start + 2)
    const found = auditBlockFound(agreed, block, false, at)
    const asked = perform({ ...found, published: 'committee_agreed' }, { kind: 'ask' }, at)
    expect(asked.outcome).toMatchObject({ state: 'finalized', ms: expect.any(Number) })
    expectInOrder(start, agreedAtOf(asked), asked.outcome?.at)
  })

  test('counts all votes of the largest committee, in which everybody but one votes twice', () => {
    const { committee_max_size: size, committee_max_backups: backups } = defaultNetworkParams
    const many = Array.from({ length: size + backups }, (_, i) => hashText(`one of many ${i}`))
    const seats = many.map((seed, position) => ({
      ...drawn.seats[0]!,
      position,
      role: position < size ? ('primary' as const) : ('backup' as const),
      node_key: ed25519PublicKey(seed),
    }))
    const committee = { k_eff: size, b_eff: backups, q: 16, fallback: false }
    const large = { ...drawn, committee, seats }
    const open = told({ ...seated(beginRound(terms, processId), large, start), published: 'pending' })
    const asked = open.leases.reduce((round, { position }) => {
      return position < backups ? told(declined(round, position, true, start)) : round
    }, open)
    expect(asked.leases).toHaveLength(size + backups)
    const votes = many.flatMap((seed, position) =>
      (position === many.length - 1 ? [0] : [0, 1]).map((choice) => ({
        vote: createTaskVote(profile, seed, {
          task,
          receipt: receipts[choice]!,
          payout_address: payout,
          position,
        }),
        result: results[choice]!,
      })),
    )
    const all = votes.reduce((round, { vote, result }) => voted(round, vote, result, start + 1), asked)
    expect(all.votes).toHaveLength(2 * (size + backups) - 1)
  })

  test('takes a third vote of nobody, and a second one only where it differs', () => {
    const open = told(begun())
    const one = voteOf(open, 0, 0, start)
    expect(voteOf(one, 0, 0, start)).toBe(one)
    const two = voteOf(one, 0, 1, start)
    expect(two.votes).toHaveLength(2)
    expect(voteOf(two, 0, 0, start)).toBe(two)
  })
})

/** Each time at the one before it or later; those that are not there yet are passed over. */
function expectInOrder(...times: (number | null | undefined)[]): void {
  const there = times.filter((time) => time != null)
  expect(there).toEqual(there.toSorted((a, b) => a - b))
}

/** Does what a round wants, as validators and nodes of these tests do it, and returns the round. */
function perform(round: Round, effect: Effect, now: number): Round {
  switch (effect.kind) {
    case 'seat':
      return seated(round, drawn, now)
    case 'publish':
      return { ...round, published: publicState(round) }
    case 'offer': {
      // A node that works with all its slots has one later.
      const { position } = effect.lease
      const outcome = position === 1 && now < start + 5 ? 'full' : 'offered'
      return offered(offering(round, position, now), position, outcome, now)
    }
    case 'cancel':
      return cancelled(round, effect.lease.position)
    case 'confirm':
      return confirmed(round, effect.lease.position, effect.lease.position % 2 === 0)
    case 'find_audit_block':
      return auditBlockFound(round, block, false, now)
    case 'ask': {
      const seatedCommittee = drawn as unknown as Parameters<typeof tallyVotes>[1]
      const votes = round.votes.map(({ vote }) => vote)
      const tally = tallyVotes(profile, seatedCommittee, task, votes)
      const own = tally.clean ? null : { receipt_hash: hashReceipt(receipts[0]!), gas_used: 1 }
      const record = createFinalityRecord(task, tally, own)
      const finality = validatorSeeds.slice(0, 3).map((seed) => createFinalityVote(profile, seed, record))
      const found = { [hashReceipt(receipts[0]!)]: results[0]! }
      return answered(round, { votes: finality, results: found, validators }, { now, ms: 1 })
    }
    case 'spread':
      return { ...round, isSpread: true }
    case 'release':
    case 'delete':
      return { ...round, isReleased: true }
  }
}

type Step =
  | { kind: 'accept' | 'decline' | 'vote' | 'other'; position: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'work'; isLost: boolean }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom('accept' as const, 'decline' as const, 'vote' as const, 'other' as const),
      position: fc.nat(4),
    }),
    fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ kind: fc.constant('work' as const), isLost: fc.boolean() }),
  ),
  { maxLength: 30 },
)

describe('property: whatever happens, in whatever order, and with whatever is lost in between', () => {
  const order = ['pending', 'committee_agreed', 'escalated', 'finalized']

  test('a round ends, once, and its times and votes keep the rules', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1 }), (given, skews) => {
        // The object moves between machines, whose clocks differ.
        let [elapsed, now] = [0, start + skews[0]!]
        let round: Round = beginRound(terms, processId)
        const work = (isLost: boolean) => {
          for (const effect of dueEffects(round, now)) {
            const after = perform(round, effect, now)
            // What was done and not noted is done again.
            round = isLost ? round : after
          }
        }
        let taken = 0
        const happen = (step: Step) => {
          if (step.kind === 'wait') elapsed += step.seconds
          now = start + elapsed + skews[++taken % skews.length]!
          if (step.kind === 'work') work(step.isLost)
          else if (step.kind !== 'wait' && step.position < round.leases.length) {
            if (step.kind === 'accept') round = accepted(round, step.position, now)
            if (step.kind === 'decline') round = declined(round, step.position, true, now)
            const choice = step.kind === 'vote' ? 0 : 1
            const isVote = step.kind === 'vote' || step.kind === 'other'
            if (isVote && (isVoteAwaited(round, step.position, now) || round.closedAt !== null))
              round = voteOf(round, step.position, choice, now)
          }
          round = passTime(round, now)
        }
        let reached = 0
        const check = () => {
          const at = order.indexOf(publicState(round))
          expect(at).toBeGreaterThanOrEqual(reached)
          reached = at
          const agreedAt = agreedAtOf(round)
          if (agreedAt !== null) {
            expect(agreedAt).toBeGreaterThanOrEqual(start)
            expect(agreedAt).toBeLessThanOrEqual(deadlineOf(round))
          }
          expectInOrder(start, round.agreedAt, round.closedAt, deadlineOf(round))
          expectInOrder(agreedAt, round.outcome?.at)
          for (const { receivedAt } of round.votes) expectInOrder(start, receivedAt, deadlineOf(round))
          for (const lease of round.leases) {
            expectInOrder(start, lease.createdAt, lease.acceptBy, lease.voteBy)
            expectInOrder(lease.createdAt, lease.completedAt)
          }
          expect(new Set(round.leases.map(({ position }) => position)).size).toBe(round.leases.length)
          for (const { voteBy } of round.leases) expect(voteBy).toBeLessThanOrEqual(deadlineOf(round))
          for (const { node_key } of drawn.seats)
            expect(round.votes.filter(({ vote }) => vote.public_key === node_key).length).toBeLessThanOrEqual(
              2,
            )
        }
        for (const step of given) {
          happen(step)
          check()
        }
        const outcome = round.outcome
        for (let i = 0; i < 40 && !round.isReleased; i++) {
          happen({ kind: 'wait', seconds: 10 })
          happen({ kind: 'work', isLost: false })
          check()
        }
        expect(round).toMatchObject({ published: 'finalized', isReleased: true })
        if (outcome !== null) expect(round.outcome).toEqual(outcome)
      }),
      { numRuns: 60 },
    )
  })
})
