import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { linkMigrations } from './migrations.ts'
import { OfferLedger } from './offers.ts'
import type { LinkOffer } from './types.ts'

const [acceptBy, voteBy] = [900, 1_000]
const offerOf = (name: string, at = voteBy) =>
  ({ offer_id: name, accept_by: acceptBy, vote_by: at, lease_id: name }) as LinkOffer

const withStorage = (run: (storage: DurableObjectStorage) => void | Promise<void>): Promise<void> =>
  runInDurableObject(env.NODE_LINK.getByName('a link with a ledger'), async (_, { storage }) => {
    await storage.deleteAll()
    await run(storage)
  })

/** A ledger with open offers, the count of rows that were changed since, and the ledger of the next process. */
const within = (
  names: readonly string[],
  run: (ledger: OfferLedger, changes: () => number, next: () => OfferLedger) => void | Promise<void>,
): Promise<void> =>
  withStorage(async (storage) => {
    const ledger = new OfferLedger(storage)
    const count = () => storage.sql.exec<{ n: number }>('SELECT total_changes() AS n').one().n
    await Promise.all(names.map((name) => ledger.add(offerOf(name), 'a session')))
    const before = count()
    await run(
      ledger,
      () => count() - before,
      () => new OfferLedger(storage),
    )
  })

const statesOf = (ledger: OfferLedger, names: readonly string[]) =>
  names.map((name) => ledger.find(name)?.state ?? null)

test('a single offer is stored at once, and offers that follow closely are stored together', () =>
  within([], async (ledger, changes, next) => {
    const first = ledger.add(offerOf('a'), 'a session')
    expect([changes(), statesOf(next(), ['a'])]).toEqual([1, ['offered']])
    const others = ['b', 'c', 'd'].map((name) => ledger.add(offerOf(name), 'a session'))
    expect([changes(), ledger.countOpen()]).toEqual([1, 4])
    await Promise.all([first, ...others])
    expect(changes()).toBe(2)
    const after = next()
    expect(after.open().map(({ offerId, sessionId }) => [offerId, sessionId])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [name, 'a session']),
    )
    expect(['a', 'd'].map((name) => after.offer(name))).toEqual([offerOf('a'), offerOf('d')])
  }))

test('votes are stored together when no offer is open, and the next process knows them', () =>
  within(['a', 'b', 'c'], async (ledger, changes, next) => {
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
    await vi.waitUntil(() => changes() > 0)
    expect(changes()).toBe(1)
    const after = next()
    expect(statesOf(after, ['a', 'b', 'c'])).toEqual(['voted', 'voted', 'voted'])
    expect([after.find('a')?.answer, after.countOpen(), after.open()]).toEqual(['escalated', 0, []])
    after.expire(voteBy + 300)
    expect(after.find('a')).not.toBeNull()
    after.expire(voteBy + 361)
    expect([statesOf(after, ['a', 'b', 'c']), after.isEmpty()]).toEqual([[null, null, null], true])
    const later = next()
    expect([later.nextDeadline(voteBy + 361), later.isEmpty()]).toEqual([null, true])
  }))

test('the vote of a node that works on one offer after the other is stored at once', () =>
  within(['a'], (ledger, changes) => {
    ledger.vote('a', 'pending')
    expect(changes()).toBe(1)
  }))

test('votes are stored with the next offers', () =>
  within(['a', 'b'], async (ledger, changes, next) => {
    ledger.vote('a', 'pending')
    await ledger.add(offerOf('c'), 'a session')
    expect([changes(), statesOf(next(), ['a', 'b', 'c'])]).toEqual([1, ['voted', 'offered', 'offered']])
  }))

test('while an offer is open, votes are stored soon, so that they survive when the object sleeps', () =>
  within(['a', 'b'], async (ledger, changes, next) => {
    ledger.vote('a', 'pending')
    await vi.waitUntil(() => changes() === 1)
    expect(statesOf(next(), ['a', 'b'])).toEqual(['voted', 'offered'])
    expect(next().countOpen()).toBe(1)
  }))

test('a vote that was lost with the process can be sent again', () =>
  within(['a', 'b'], async (ledger, changes, next) => {
    ledger.vote('a', 'pending')
    const after = next()
    expect([statesOf(after, ['a']), after.open().length]).toEqual([['offered'], 2])
    after.vote('a', 'pending')
    after.vote('b', 'pending')
    await vi.waitUntil(() => changes() > 0 && next().countOpen() === 0)
    expect(statesOf(next(), ['a', 'b'])).toEqual(['voted', 'voted'])
  }))

test('a decline in time counts if the link told the round in time, and not if it told the round late', () =>
  within(['in time', 'late', 'never', 'by itself late'], (ledger, _, next) => {
    for (const name of ['in time', 'late', 'never']) ledger.decline(name, 'incompatible', acceptBy - 5)
    ledger.told('in time', 'declined', true)
    // The round did not answer, and is told again, by this process or the next.
    next().told('late', 'declined', false)
    ledger.decline('by itself late', 'busy', acceptBy)
    const heard = ['in time', 'late', 'never', 'by itself late'].map((name) => ledger.wasHeard(name))
    expect(heard).toEqual([true, false, false, true])
  }))

test('an accept or a vote does not count until the round knows it; an accept stays valid if the round learns it late', () =>
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

test('if an offer was not noted as silent, the next process cannot know its answers, and remembers that', () =>
  within(['silent', 'accepted', 'renewed'], (ledger, _, next) => {
    ledger.accept('accepted')
    expect(ledger.unanswered()).toEqual(['silent', 'renewed'])
    for (const name of ['silent', 'renewed']) ledger.noteSilent(name)
    expect(ledger.unanswered()).toEqual([])
    ledger.renew(offerOf('renewed', voteBy + 50))
    expect(ledger.unanswered()).toEqual(['renewed'])
    const names = ['silent', 'accepted', 'renewed']
    const heardBy = (one: OfferLedger) => names.map((name) => one.wasHeard(name))
    expect([heardBy(ledger), heardBy(next())]).toEqual([
      [true, true, true],
      [true, false, false],
    ])
    const after = next()
    // The node says it again, after its time.
    after.accept('accepted')
    after.storeAccepted(after.takeAccepted())
    after.told('accepted', 'accepted', true)
    after.expire(voteBy + 51)
    expect([heardBy(after), heardBy(next()), after.unanswered()]).toEqual([
      [true, false, false],
      [true, false, false],
      [],
    ])
  }))

test('frames that may be lost, a new session and later deadlines are stored for all offers in one change', () =>
  within(['a', 'b'], (ledger, changes, next) => {
    for (const name of ['a', 'b']) ledger.noteSilent(name)
    ledger.noteLost('a session')
    expect([changes(), next().wasHeard('a'), next().wasHeard('b')]).toEqual([1, false, false])
    ledger.noteLeft('a session')
    expect([changes(), next().wasHeard('a')]).toEqual([2, true])
    ledger.setSession(['a', 'b'], 'another')
    ledger.renew(offerOf('b', voteBy + 50))
    expect(changes()).toBe(4)
    const after = next()
    expect(after.open().map((kept) => [kept.offerId, kept.sessionId, kept.voteBy])).toEqual([
      ['a', 'another', voteBy],
      ['b', 'another', voteBy + 50],
    ])
    expect(after.offer('b').vote_by).toBe(voteBy + 50)
    after.expire(voteBy + 1)
    expect([statesOf(after, ['a', 'b']), statesOf(next(), ['a', 'b'])]).toEqual([
      ['expired', 'offered'],
      ['expired', 'offered'],
    ])
  }))

test('an accept is stored if its round could not be told, and a cancelled offer is deleted', () =>
  within(['a', 'b'], (ledger, changes, next) => {
    ledger.accept('a')
    // Other changes do not store it with them: the round does not know it.
    ledger.remove('b')
    expect([changes(), statesOf(next(), ['a', 'b'])]).toEqual([1, ['offered', null]])
    ledger.storeAccepted(ledger.takeAccepted())
    const after = next()
    expect(after.untold().map(({ offerId, state }) => [offerId, state])).toEqual([['a', 'accepted']])
    ledger.decline('a', 'busy', voteBy)
    expect(next().untold()).toMatchObject([{ offerId: 'a', state: 'declined', reason: 'busy' }])
    expect(next().countOpen()).toBe(0)
  }))

test('rows of forgotten offers are overwritten, and no more rows are kept than needed', () =>
  withStorage(async (storage) => {
    const rows = () => storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM changes').one().n
    const ledger = new OfferLedger(storage)
    const work = async (from: number, to: number) => {
      for (let at = from; at < to; at += 100) {
        ledger.expire(at)
        await ledger.add(offerOf(`at ${at}`, at), 'a session')
        ledger.vote(`at ${at}`, 'pending')
        ledger.noteVoteLost(`at ${at}`)
      }
    }
    await work(10_000, 12_000)
    const needed = rows()
    await work(12_000, 20_000)
    expect(rows()).toBe(needed)
    expect(statesOf(new OfferLedger(storage), ['at 19900', 'at 12000'])).toEqual(['voted', null])
    ledger.expire(30_000)
    expect([ledger.isEmpty(), rows()]).toEqual([true, Math.min(needed, 16)])
  }))

test('a new process knows every offer that is over, also after rows were overwritten', () =>
  withStorage(async (storage) => {
    const openAtBegin: number[] = []
    for (let at = 10_000; at < 14_000; at += 37) {
      const before = new OfferLedger(storage)
      before.expire(at)
      openAtBegin.push(before.countOpen())
      const names = [`voted ${at}`, `removed ${at}`, `lasting ${at}`]
      await Promise.all([
        before.add(offerOf(names[0]!, at + 30), 'a session'),
        before.add(offerOf(names[1]!, at + 5), 'a session'),
        ...(at % 5 === 0 ? [before.add(offerOf(names[2]!, at + 600), 'a session')] : []),
      ])
      before.remove(names[1]!)
      const after = new OfferLedger(storage)
      after.vote(names[0]!, 'pending')
      if (at % 5 === 0) after.vote(names[2]!, 'pending')
    }
    expect(openAtBegin.filter((count) => count > 0)).toEqual([])
  }))

test('offers that do not fit into one row are stored in several', () =>
  within([], async (ledger, changes, next) => {
    const names = Array.from({ length: 9 }, (_, index) => `large ${index}`)
    const large = (name: string) => ({ ...offerOf(name), input: 'x'.repeat(350_000) }) as LinkOffer
    await Promise.all(names.map((name) => ledger.add(large(name), 'a session')))
    expect(changes()).toBe(9)
    expect(names.map((name) => next().offer(name))).toEqual(names.map(large))
  }))

test('an offer that cannot be stored is not made, and other changes are stored with the next offer', () =>
  withStorage(async (storage) => {
    const ledger = new OfferLedger(storage)
    await ledger.add(offerOf('a'), 'a session')
    storage.sql.exec('ALTER TABLE changes RENAME TO away')
    const refused = expect(ledger.add(offerOf('b'), 'a session')).rejects.toThrow()
    ledger.decline('a', 'busy', voteBy)
    await refused
    expect([ledger.find('b'), ledger.countOpen()]).toEqual([null, 0])
    storage.sql.exec('ALTER TABLE away RENAME TO changes')
    await ledger.add(offerOf('c'), 'a session')
    expect(statesOf(new OfferLedger(storage), ['a', 'b', 'c'])).toEqual(['declined', null, 'offered'])
  }))

test('if the second attempt to tell a round about an accept succeeds, the next process does not tell it again', () =>
  within(['a'], async (ledger, _, next) => {
    ledger.accept('a')
    ledger.storeAccepted(ledger.takeAccepted())
    expect(next().hasUntold()).toBe(true)
    ledger.told('a', 'accepted', true)
    await vi.waitUntil(() => !next().hasUntold())
    expect([next().wasHeard('a'), next().find('a')?.state]).toEqual([true, 'accepted'])
  }))

test('a process that starts long after an offer lets it expire, and accepts new offers', () =>
  within(['a'], async (_, __, next) => {
    const late = next()
    expect(late.nextDeadline(voteBy + 400)).toBeNull()
    expect([late.countOpen(), late.find('a')]).toEqual([0, null])
    await late.add(offerOf('b', voteBy + 500), 'another')
    expect(statesOf(next(), ['a', 'b'])).toEqual(['expired', 'offered'])
  }))

test('offers that an earlier build stored keep their state', () =>
  withStorage((storage) => {
    for (const statement of linkMigrations.slice(0, 2)) storage.sql.exec(statement)
    storage.kv.put('migrations', 2)
    const insert = `INSERT INTO offers (offer_id, offer, state, session_id, vote_by, reason, told, unheard, is_excused)
      VALUES (?, ?, ?, 'a session', ${voteBy}, ?, ?, ?, ?)`
    const offer = (name: string) => JSON.stringify(offerOf(name))
    storage.sql.exec(insert, 'open', offer('open'), 'offered', null, 1, 'a session', 0)
    storage.sql.exec(insert, 'accepted', offer('accepted'), 'accepted', null, 0, null, 0)
    storage.sql.exec(insert, 'declined', offer('declined'), 'declined', 'busy', 0, null, 1)
    storage.sql.exec(insert, 'voted', offer('voted'), 'offered', null, 1, null, 0)
    storage.sql.exec('INSERT INTO votes VALUES (?, ?)', JSON.stringify([['voted', 'pending']]), voteBy)
    const ledger = new OfferLedger(storage)
    expect(ledger.open().map(({ offerId, state }) => [offerId, state])).toEqual([
      ['accepted', 'accepted'],
      ['open', 'offered'],
    ])
    expect(ledger.untold()).toMatchObject([
      { offerId: 'accepted', isExcused: false },
      { offerId: 'declined', reason: 'busy', isExcused: true },
    ])
    const heard = ['open', 'accepted', 'declined'].map((name) => ledger.wasHeard(name))
    expect([heard, ledger.offer('open')]).toEqual([[false, false, true], offerOf('open')])
    expect(ledger.find('voted')).toMatchObject({ state: 'voted', answer: 'pending' })
  }))
