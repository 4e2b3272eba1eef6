import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  type KeptCommittee,
  type Task,
  tallyVotes,
} from '../../protocol/consensus/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { createReceipt, hashReceipt } from '../../protocol/execution/index.ts'
import { deriveNodeId, deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
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
} from './round.ts'
import {
  accepted,
  answered,
  auditBlockFound,
  cancelled,
  declined,
  isVoteAwaited,
  offered,
  offering,
  passTime,
  resumed,
  seated,
  voted,
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
}
const terms = {
  roundId: deriveTaskRoundId(task),
  taskId: 'task',
  task,
  input: '',
  rules,
  underfunded: false,
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
    expect(kinds(beginRound(terms, processId))).toEqual(['seat'])
    expect(kinds(round)).toEqual(['publish'])
    expect(kinds(begun())).toEqual(['offer', 'offer', 'offer'])
  })

  test('gives each lease its times, none of them beyond the deadline', () => {
    expect(begun().leases[0]).toMatchObject({ acceptBy: start + 10, voteBy: start + 30 })
    const late = declined(told(begun()), 0, start + 45)
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
    const one = declined(told(begun()), 0, start)
    expect(one.leases).toHaveLength(4)
    expect(declined(told(one), 3, start).leases).toHaveLength(4)
    expect(declined(told(one), 1, start).leases).toHaveLength(5)
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
    // Whoever is asked afterwards owes its vote as ever.
    const replaced = passTime(after, start + 11)
    const silent = passTime(offered(replaced, 3, 'offered', start + 11), start + 22)
    expect(silent.leases[3]).toMatchObject({ state: 'missed', missedBecause: 'not_accepted' })
    expect(declined(after, 0, start + 2).leases[0]).toMatchObject({ missedBecause: 'declined' })
    expect(voteOf(replaced, 1, 0, start + 12).leases[1]).toMatchObject({
      state: 'voted',
      missedBecause: null,
    })
  })

  test('is closed with the last vote, and at its deadline however late that is noticed', () => {
    const all = [0, 1, 2].reduce((round, i) => voteOf(round, i, 0, start + i), told(begun()))
    expect([all.closedAt, agreedAtOf(all), publicState(all)]).toEqual([
      start + 2,
      start + 2,
      'committee_agreed',
    ])
    const late = passTime(told(begun()), start + 5_000)
    expect([late.closedAt, agreedAtOf(late), publicState(late)]).toEqual([
      start + 60,
      start + 60,
      'escalated',
    ])
  })

  test('that agreed and then meets dissent is escalated', () => {
    const four = declined(told(begun()), 0, start)
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

  test('takes a third vote of nobody, and a second one only where it differs', () => {
    const open = told(begun())
    const one = voteOf(open, 0, 0, start)
    expect(voteOf(one, 0, 0, start)).toBe(one)
    const two = voteOf(one, 0, 1, start)
    expect(two.votes).toHaveLength(2)
    expect(voteOf(two, 0, 0, start)).toBe(two)
  })
})

/** Does what a round wants, as validators and nodes of these tests do it, and says what becomes of the round. */
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
      fc.property(steps, (given) => {
        let now = start
        let round: Round = beginRound(terms, processId)
        const work = (isLost: boolean) => {
          for (const effect of dueEffects(round, now)) {
            const after = perform(round, effect, now)
            // What was done and not noted is done again.
            round = isLost ? round : after
          }
        }
        const happen = (step: Step) => {
          if (step.kind === 'wait') now += step.seconds
          else if (step.kind === 'work') work(step.isLost)
          else if (step.position < round.leases.length) {
            if (step.kind === 'accept') round = accepted(round, step.position, now)
            if (step.kind === 'decline') round = declined(round, step.position, now)
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
