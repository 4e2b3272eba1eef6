import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { OfferLedger } from './offers.ts'
import type { LinkOffer } from './types.ts'

const [acceptBy, voteBy] = [900, 1_000]
const offerOf = (name: string) => ({ offer_id: name, accept_by: acceptBy, vote_by: voteBy }) as LinkOffer

/** A ledger with open offers, the count of rows that were changed since, and the ledger of the next process. */
const within = (
  names: readonly string[],
  run: (ledger: OfferLedger, changes: () => number, next: () => OfferLedger) => void | Promise<void>,
): Promise<void> =>
  runInDurableObject(env.NODE_LINK.getByName('a link with a ledger'), async (_, { storage }) => {
    await storage.deleteAll()
    const ledger = new OfferLedger(storage)
    for (const name of names) ledger.add(offerOf(name), 'a session')
    const count = () => storage.sql.exec<{ n: number }>('SELECT total_changes() AS n').one().n
    const before = count()
    await run(
      ledger,
      () => count() - before,
      () => new OfferLedger(storage),
    )
  })

const statesOf = (ledger: OfferLedger, names: readonly string[]) =>
  names.map((name) => ledger.find(name)?.state ?? null)

test('votes are stored together once nothing is open, and the next process knows them', () =>
  within(['a', 'b', 'c'], (ledger, changes, next) => {
    ledger.vote('a', 'pending')
    ledger.vote('b', 'pending')
    expect([statesOf(ledger, ['a', 'b', 'c']), ledger.countOpen(), changes()]).toEqual([
      ['voted', 'voted', 'offered'],
      1,
      0,
    ])
    // Another vote on the same offer writes nothing either.
    ledger.vote('a', 'escalated')
    ledger.vote('c', 'committee_agreed')
    expect(changes()).toBe(1)
    const after = next()
    expect(statesOf(after, ['a', 'b', 'c'])).toEqual(['voted', 'voted', 'voted'])
    expect([after.find('a')?.answer, after.countOpen(), after.open()]).toEqual(['escalated', 0, []])
    after.expire(voteBy + 300)
    expect(after.find('a')).not.toBeNull()
    after.expire(voteBy + 361)
    expect([statesOf(after, ['a', 'b', 'c']), after.isEmpty(), next().isEmpty()]).toEqual([
      [null, null, null],
      true,
      true,
    ])
  }))

test('while an offer is open votes are stored soon, so that an object that sleeps has them', () =>
  within(['a', 'b'], async (ledger, changes, next) => {
    ledger.vote('a', 'pending')
    await vi.waitUntil(() => changes() === 1)
    expect(statesOf(next(), ['a', 'b'])).toEqual(['voted', 'offered'])
    expect(next().countOpen()).toBe(1)
  }))

test('a vote that was lost with the process is given again', () =>
  within(['a', 'b'], (ledger, _, next) => {
    ledger.vote('a', 'pending')
    const after = next()
    expect([statesOf(after, ['a']), after.open().length]).toEqual([['offered'], 2])
    after.vote('a', 'pending')
    after.vote('b', 'pending')
    expect(statesOf(next(), ['a', 'b'])).toEqual(['voted', 'voted'])
  }))

test('who declined in time was heard once the round was told in time, and not where the link told it late', () =>
  within(['in time', 'late', 'never', 'by itself late'], (ledger, _, next) => {
    for (const name of ['in time', 'late', 'never']) ledger.decline(name, 'incompatible', acceptBy - 5)
    ledger.told('in time', 'declined', true)
    // The round did not answer, and is told again, by this process or the next.
    next().told('late', 'declined', false)
    ledger.decline('by itself late', 'busy', acceptBy)
    const heard = ['in time', 'late', 'never', 'by itself late'].map((name) => ledger.wasHeard(name))
    expect(heard).toEqual([true, false, false, true])
  }))

test('who accepted, or votes, is not heard while the round does not know it, and who accepted stays so once it is told late', () =>
  within(['accepted', 'voting'], (ledger) => {
    ledger.accept('accepted')
    expect(ledger.takeAccepted()).toHaveLength(1)
    expect(ledger.wasHeard('accepted')).toBe(false)
    ledger.told('accepted', 'accepted', false)
    expect(ledger.wasHeard('accepted')).toBe(false)
    const answered = [ledger.noteVoteUnderWay('voting'), ledger.noteVoteUnderWay('voting')]
    const heard = answered.map((answer) => {
      answer()
      return ledger.wasHeard('voting')
    })
    expect(heard).toEqual([false, true])
  }))
