import { describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { isAgreedAtAcceptable } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { nextTime } from './due.ts'
import { agreedAtOf, beginRound, publicState, type Round, waitingFor } from './round.ts'
import { isAtFault } from './states.ts'
import {
  ballotOf,
  begun,
  block,
  drawn,
  expectInOrder,
  few,
  kinds,
  perform,
  processId,
  results,
  rules,
  start,
  task,
  terms,
  told,
  twoTold,
  validators,
  voteOf,
} from './testing/rounds.ts'
import {
  accepted,
  answered,
  auditBlockFound,
  confirmed,
  declined,
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

const seatedAt = (now: number) => seated(beginRound(terms, processId), drawn, now)
const unanswered = { votes: [], results: {}, validators }

describe('a round', () => {
  test('asks all primaries at once', () => {
    expect(kinds(beginRound(terms, processId))).toEqual(['seat'])
    expect(kinds(begun())).toEqual(['offer', 'offer', 'offer'])
  })

  test('appears in lists once it has been open for a while, and is listed again on every change of state', () => {
    const open = told(begun())
    expect(kinds(open, start + 14)).toEqual([])
    const all = [0, 1, 2].reduce((round, i) => accepted(round, i), open)
    expect(nextTime(all, start)).toBe(start + 15)
    expect(kinds(open, start + 15)).toEqual(['list'])
    const listed = perform(open, { kind: 'list' }, start + 15)
    expect(kinds(listed, start + 16)).toEqual([])
    const closed = passTime(listed, start + 60)
    expect(kinds(closed, start + 60)[0]).toBe('list')
    expect(kinds({ ...closed, listed: publicState(closed) }, start + 60)).not.toContain('list')
  })

  test('is listed while its committee cannot be drawn and again once it is; it fails some time after its deadline', () => {
    const undrawn = { ...beginRound(terms, processId), listed: 'pending' as const }
    expect(kinds(undrawn, start + 15)).toEqual(['seat'])
    expect(seated(undrawn, drawn, start).listed).toBeNull()
    expect(nextTime(undrawn, start + 15)).toBe(start + 361)
    expect(passTime(undrawn, start + 360)).toBe(undrawn)
    const failed = passTime(undrawn, start + 361)
    expect(failed.outcome).toEqual({ state: 'failed', error: 'set_unreadable', at: start + 361 })
    expect(kinds(failed)).toEqual(['record'])
    expect(kinds({ ...failed, isRecorded: true })).toEqual(['end'])
    expect(seated(failed, drawn, start + 400)).toBe(failed)
  })

  test('sets the times of each lease, none of them beyond the deadline', () => {
    expect(begun().leases[0]).toMatchObject({ acceptBy: start + 10, voteBy: start + 30 })
    const late = declined(told(begun()), 0, true, start + 45)
    expect(late.leases.at(-1)).toMatchObject({ voteBy: start + 60 })
  })

  test('is checked again when the first time is over', () => {
    expect(nextTime(told(begun()), start)).toBe(start + 11)
    const all = [0, 1, 2].reduce((round, i) => accepted(round, i), told(begun()))
    expect(nextTime(all, start + 15)).toBe(start + 31)
  })

  test('is checked again when validators are due to be asked again, and not while they are being asked', () => {
    const closed = auditBlockFound(seated(beginRound(terms, 'a process'), few, start), block, false, start)
    expect(nextTime(closed, start + 15)).toBeNull()
    const refused = answered(closed, unanswered, { now: start, ms: 1 })
    expect(nextTime(refused, start)).toBe(start + 5)
  })

  test('asks a backup for each primary that fails, and no backup for a failed backup', () => {
    const one = declined(told(begun()), 0, true, start)
    expect(one.leases).toHaveLength(4)
    expect(declined(told(one), 3, true, start).leases).toHaveLength(4)
    expect(declined(told(one), 1, true, start).leases).toHaveLength(5)
  })

  test('waits for a free slot of a member as long as for an answer, then asks the next, and no member has missed anything', () => {
    const waiting = offered(twoTold(), 1, 'full', start)
    expect(waiting.leases[1]).toMatchObject({ state: 'offering', isFull: true })
    expect(kinds(waiting)).toEqual(['offer'])
    expect(waiting.leases).toHaveLength(3)

    const free = offered(offering(waiting, 1, start + 9), 1, 'offered', start + 9)
    expect(free.leases[1]).toMatchObject({ state: 'offered', acceptBy: start + 19, voteBy: start + 39 })

    const passed = passTime(waiting, start + 11)
    expect(passed.leases[1]).toMatchObject({ state: 'cancelled', missedBecause: 'full' })
    expect(passed.leases[3]).toMatchObject({ role: 'backup', state: 'offering' })
  })

  test('does not blame a member that the hub did not reach, and starts its lease when it is reached', () => {
    const told = offered(begun(), 0, 'offered', start)
    const untold = { state: 'cancelled', missedBecause: 'not_told' }
    expect(passTime(told, start + 11).leases[2]).toMatchObject(untold)
    const late = offered(offering(told, 2, start + 9), 2, 'offered', start + 9)
    expect(late.leases[2]).toMatchObject({ state: 'offered', acceptBy: start + 19 })
  })

  test('waits for a member that lost its connection, and does not blame one that fails to return in time', () => {
    const waiting = offered(twoTold(), 1, 'away', start)
    expect(waiting.leases[1]).toMatchObject({ state: 'offering' })
    expect(kinds(waiting)).toEqual(['offer'])
    const passed = passTime(waiting, start + 11)
    expect(passed.leases[1]).toMatchObject({ state: 'cancelled', missedBecause: 'not_told' })
    expect(passed.leases[3]).toMatchObject({ role: 'backup', state: 'offering' })
  })

  test('does not blame members whose answers the hub was not running to receive', () => {
    const before = accepted(told(begun()), 0)
    // An answer that was not stored may be lost with the object's memory; one that was stored is not.
    const dropped = passTime(resumed(before, processId), start + 31).leases
    expect(dropped.slice(0, 2)).toMatchObject([
      { state: 'missed', missedBecause: 'late' },
      { missedBecause: 'hub_away' },
    ])
    const after = resumed(before, 'another process')
    const excused = { state: 'cancelled', missedBecause: 'hub_away' }
    expect(passTime(after, start + 11).leases).toMatchObject([{ state: 'leased' }, excused, excused, {}, {}])
    expect(passTime(after, start + 31).leases[0]).toMatchObject(excused)
    // A member that is asked afterwards owes its vote as usual.
    const replaced = passTime(after, start + 11)
    const silent = passTime(offered(replaced, 3, 'offered', start + 11), start + 22)
    expect(silent.leases[3]).toMatchObject({ state: 'missed', missedBecause: 'not_accepted' })
    expect(declined(after, 0, true, start + 2).leases[0]).toMatchObject({ missedBecause: 'declined' })
    const heard = voteOf(replaced, 1, 0, start + 12).leases[1]
    expect(heard).toMatchObject({ state: 'voted', missedBecause: null })
  })

  test('counts a vote by its arrival time, and blames nobody for the time the hub takes to check it', () => {
    const before = accepted(told(begun()), 0)
    const came = voteCame(before, 0, start + 30)
    const excused = { state: 'cancelled', missedBecause: 'hub_away' }
    expect(passTime(came, start + 31).leases[0]).toMatchObject(excused)
    const judged = voteJudged(came, before.leases[0]!)
    expect(judged.leases[0]).toEqual(before.leases[0])
    expect(passTime(judged, start + 31).leases[0]).toMatchObject({ state: 'missed', missedBecause: 'late' })
    // After its time there is nothing to wait for.
    expect(voteCame(before, 0, start + 31)).toBe(before)
    expect(voteOf(passTime(came, start + 31), 0, 0, start + 30).leases[0]).toMatchObject({ state: 'voted' })
  })

  test('before it asks validators, asks the links of members without an answer in time whether they heard everything', () => {
    const open = [0, 1].reduce((round, i) => accepted(round, i), told(begun()))
    const closed = auditBlockFound(passTime(open, start + 60), block, false, start + 60)
    const late = { ...closed, listed: publicState(closed) }
    expect(kinds(late, start + 60)).toEqual(['confirm', 'confirm', 'confirm'])
    const one = confirmed(late, 0, true)
    expect(kinds(one, start + 60)).toEqual(['confirm', 'confirm'])
    const both = confirmed(confirmed(one, 1, false), 2, false)
    // The third did not accept, and its link was lost as well.
    expect(both.leases.slice(0, 3)).toMatchObject([
      { state: 'missed', missedBecause: 'late' },
      { state: 'cancelled', missedBecause: 'hub_away' },
      { state: 'cancelled', missedBecause: 'hub_away' },
    ])
    expect(confirmed(both, 0, false)).toBe(both)
    expect(kinds({ ...both, listed: publicState(both) }, start + 60)).toEqual(['ask'])
  })

  test('agrees at the time its last vote came, in whichever order the votes were checked', () => {
    const first = voteOf(voteOf(told(begun()), 0, 0, start + 6), 1, 0, start + 5)
    expect(voteOf(first, 2, 0, start + 1).agreedAt).toBe(start + 6)
  })

  test('blames each member that left, declined or was late, for its own offer, and no other member', () => {
    const faultOf = (round: Round, position = 0) => {
      const { state, missedBecause } = round.leases[position]!
      expect(state === 'missed' || state === 'cancelled').toBe(true)
      return [missedBecause, isAtFault({ state: state as 'missed', missedBecause })]
    }
    const open = told(begun())
    const afterAnswer = (round: Round) => passTime(round, start + 70)
    expect(faultOf(afterAnswer(accepted(open, 0)))).toEqual(['late', true])
    expect(faultOf(declined(open, 0, true, start))).toEqual(['declined', true])
    expect(faultOf(declined(open, 0, false, start))).toEqual(['unserved', false])
    expect(faultOf(declined(open, 0, true, start + 9))).toEqual(['declined', true])
    // It read until it could no longer accept, and the hub had not looked since.
    expect(faultOf(declined(open, 0, true, start + 10))).toEqual(['not_accepted', false])
    expect(faultOf(declined(accepted(open, 0), 0, true, start + 10))).toEqual(['declined', true])
    expect(faultOf(offered(begun(), 0, 'offline', start))).toEqual(['offline', true])
    expect(faultOf(offered(begun(), 0, 'absent', start))).toEqual(['absent', false])
    expect(faultOf(offered(begun(), 0, 'dropped', start))).toEqual(['hub_away', false])
    // The frame was sent; whether it arrived nobody knows.
    expect(faultOf(afterAnswer(open))).toEqual(['not_accepted', false])
    // A vote says that it did, also where the vote is invalid.
    expect(faultOf(afterAnswer(refused(open, 0, 'invalid_vote')))).toEqual(['late', true])
    expect(faultOf(refused(passTime(open, start + 11), 0, 'late'))).toEqual(['late', true])
  })

  test('that starts late sets the times that remain, and blames no member that got too little time', () => {
    const begunAt = (now: number) => {
      const round = seatedAt(now)
      return passTime(accepted(told(round, now), 0), start + 61)
    }
    expect(begunAt(start + 35).leases[0]).toMatchObject({ state: 'missed', missedBecause: 'late' })
    const cutShort = { state: 'cancelled', missedBecause: 'cut_short' }
    expect(begunAt(start + 45).leases[0]).toMatchObject(cutShort)
    // The same holds for a member that does not accept in that time, or declines: on a clock that is ahead it may be over.
    const lateTold = told(seatedAt(start + 58), start + 58)
    expect(passTime(lateTold, start + 61).leases[0]).toMatchObject(cutShort)
    expect(declined(lateTold, 0, true, start + 59).leases[0]).toMatchObject(cutShort)
    expect(seatedAt(start + 61).leases).toEqual([])
  })

  test.each([
    [8, 44, 'late'],
    [8, 57, 'cut_short'],
    [20, 48, 'late'],
    [20, 51, 'cut_short'],
  ] as const)(
    'with leases of %s s and offers sent %s s after its start records a member without a vote as %s',
    (leaseSecs, after, because) => {
      const short = { ...terms, rules: { ...terms.rules, leaseSecs } }
      const round = seated(beginRound(short, processId), drawn, start + after)
      const ended = passTime(accepted(told(round, start + after), 0), start + 61)
      expect(ended.leases[0]?.missedBecause).toBe(because)
    },
  )

  test('closes with the last vote, or at its deadline even if the hub notices late', () => {
    const endOf = (round: Round) => [round.closedAt, agreedAtOf(round), publicState(round)]
    const all = [0, 1, 2].reduce((round, i) => voteOf(round, i, 0, start + i), told(begun()))
    expect(endOf(all)).toEqual([start + 2, start + 2, 'committee_agreed'])
    // While the committee works, nothing else is waited for.
    expect(waitingFor(voteOf(told(begun()), 0, 0, start))).toBeNull()
    expect(waitingFor(all)).toEqual({ code: 'audit_block', since: start + 2, until: null })
    const late = passTime(told(begun()), start + 5_000)
    expect(endOf(late)).toEqual([start + 60, start + 60, 'escalated'])
  })

  test('that agreed is escalated if a dissenting vote arrives', () => {
    const four = declined(told(begun()), 0, true, start)
    const agreed = [1, 2, 3].reduce((round, i) => voteOf(round, i, 0, start + 5), told(four))
    expect(publicState(agreed)).toBe('committee_agreed')
  })

  test('waits for its audit block however long the chain is silent, and then the usual time for a quorum', () => {
    const silent = { ...passTime(told(begun()), start + 60), listed: 'escalated' as const }
    const closed = [0, 1, 2].reduce((round, position) => confirmed(round, position, true), silent as Round)
    expect(kinds(closed, start + 5_000)).toEqual(['find_audit_block'])
    const found = auditBlockFound(closed, block, false, start + 5_000)
    expect(kinds(found, start + 5_000)).toEqual(['ask'])
    const asked = (round: Round, now: number) => answered(round, unanswered, { now, ms: 1 })
    const once = asked(found, start + 5_000)
    expect([once.outcome, once.asking.nextAt]).toEqual([null, start + 5_005])
    expect(asked(once, start + 5_299).outcome).toBeNull()
    expect(asked(once, start + 5_300).outcome).toEqual({ state: 'failed', at: start + 5_300 })
  })

  test('closes at once if no committee can be drawn or no member can be paid', () => {
    const round = seated(beginRound(terms, processId), few, start)
    expect([publicState(round), round.closedAt, round.leases.length]).toEqual(['fallback', start, 0])
    const poor = seated(beginRound({ ...terms, underfunded: true }, processId), drawn, start)
    expect([publicState(poor), poor.closedAt, poor.leases.length]).toEqual(['fallback', start, 0])
  })

  test.each([-2, -1, 1, 2])('records no time before its task if clocks differ by %i s', (skew) => {
    const at = start + skew
    const fallback = seated(beginRound(terms, processId), few, at)
    const limits = { round_secs: rules.roundSecs, max_skew: 300 }
    // The time of the validator that is asked.
    expect(isAgreedAtAcceptable(agreedAtOf(fallback)!, task, limits, start)).toBe(true)

    const open = told(seatedAt(at), at)
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
    const asked = perform(found, { kind: 'ask' }, at)
    expect(asked.outcome).toMatchObject({ state: 'finalized', ms: expect.any(Number) })
    expectInOrder(start, agreedAtOf(asked), asked.outcome?.at)
  })

  test('counts all votes of the largest committee in which every member except one votes twice', () => {
    const { committee_max_size: size, committee_max_backups: backups } = defaultNetworkParams
    const many = Array.from({ length: size + backups }, (_, i) => hashText(`one of many ${i}`))
    const seats = many.map((seed, position) => {
      const role = position < size ? ('primary' as const) : ('backup' as const)
      return { ...drawn.seats[0]!, position, role, node_key: ed25519PublicKey(seed) }
    })
    const committee = { k_eff: size, b_eff: backups, q: 16, fallback: false }
    const large = { ...drawn, committee, seats }
    const open = told(seated(beginRound(terms, processId), large, start))
    const asked = open.leases.reduce((round, { position }) => {
      return position < backups ? told(declined(round, position, true, start)) : round
    }, open)
    expect(asked.leases).toHaveLength(size + backups)
    const votes = many.flatMap((seed, position) => {
      const choices = position === many.length - 1 ? [0] : [0, 1]
      return choices.map((choice) => [ballotOf(seed, position, choice), results[choice]!] as const)
    })
    const all = votes.reduce((round, [vote, result]) => voted(round, vote, result, start + 1), asked)
    expect(all.votes).toHaveLength(2 * (size + backups) - 1)
  })

  test('accepts a second vote of a member only if it differs, and never a third', () => {
    const open = told(begun())
    const one = voteOf(open, 0, 0, start)
    expect(voteOf(one, 0, 0, start)).toBe(one)
    const two = voteOf(one, 0, 1, start)
    expect(two.votes).toHaveLength(2)
    expect(voteOf(two, 0, 0, start)).toBe(two)
  })
})
