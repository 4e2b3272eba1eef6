import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventsOfRounds, packRounds, type RoundEntries, type ToldRound } from './round-entries.ts'
import { eventsOf, type LogRow, pageOfRows } from './rows.ts'
import { accountTypes, type Filter, isIn, keysOf, type LoggedEvent, networkTypes, wordsOf } from './types.ts'

const id = (digit: string) => `0x${digit.repeat(64)}`
const wallet = (digit: string) => `0x${digit.repeat(40)}`

const event: fc.Arbitrary<LoggedEvent> = fc
  .record(
    {
      type: fc.constantFrom(...networkTypes, ...accountTypes),
      created_at: fc.nat(9),
      address: fc.constantFrom(...['a', 'b'].map(wallet)),
      project_id: fc.constantFrom(...['1', '2'].map(id)),
      module: fc.constantFrom(...['3', '4'].map(id)),
    },
    { requiredKeys: ['type', 'created_at'] },
  )
  .map((one) => one as LoggedEvent)

const filter: fc.Arbitrary<Filter> = fc.record(
  {
    address: fc.constantFrom(...['a', 'b', 'c'].map(wallet)),
    project_id: fc.constantFrom(...['1', '2'].map(id)),
    module: fc.constant(id('3')),
    type: fc.constantFrom(...networkTypes, ...accountTypes),
  },
  { requiredKeys: [] },
)

const rows = fc
  .array(fc.record({ events: fc.array(event, { minLength: 1, maxLength: 6 }), gap: fc.nat(2) }), {
    maxLength: 12,
  })
  .map((all) => {
    let row = 0
    return all.map(({ events, gap }): LogRow => {
      row += 1 + gap
      return { id: row, keys: keysOf(events), body: JSON.stringify(events.length === 1 ? events[0] : events) }
    })
  })

test('a follower who asks for pages of any size gets each of its events once, in order', () => {
  fc.assert(
    fc.property(rows, filter, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (log, wanted, limits) => {
      const end = { row: (log.at(-1)?.id ?? 0) + 1, offset: 0 }
      const got: string[] = []
      let from = { row: 1, offset: 0 }
      while (from.row < end.row) {
        const limit = limits.next().value as number
        const page = pageOfRows(log, { from, end, filter: wanted, limit })
        expect(page.events.length).toBeLessThanOrEqual(limit)
        got.push(...page.events.map((one) => one.id))
        from = page.next
      }
      const all = log.flatMap((row) =>
        eventsOf(row).map((one, offset) => ({ one, id: `${row.id}-${offset}` })),
      )
      expect(got).toEqual(all.filter(({ one }) => isIn(wanted, one)).map((one) => one.id))
    }),
  )
})

test('a row that contains an event of a feed has the search words of that feed', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1 }), filter, (events, wanted) => {
      const keys = keysOf(events)
      const hasWords = wordsOf(wanted).every((some) => some.some((word) => keys.includes(word)))
      expect(hasWords || !events.some((one) => isIn(wanted, one))).toBe(true)
    }),
  )
})

describe('the rounds of one transaction', () => {
  const told: ToldRound = {
    ...{ roundId: `task:${id('7')}`, projectId: id('1'), module: id('3'), endedAt: 100, success: true },
    escalated: 'contested',
    members: [
      { owner: wallet('a'), nodeId: 'node_1', askedAt: 90, outcome: 'verified' },
      { owner: wallet('b'), nodeId: 'node_2', askedAt: 91, outcome: { rejected: 'disagreed' } },
      { owner: wallet('b'), nodeId: 'node_3', askedAt: 92, outcome: { missed: 'late' } },
      { owner: wallet('b'), nodeId: 'node_4', askedAt: 93, outcome: { missed: null } },
      { owner: wallet('b'), nodeId: 'node_5', askedAt: 94, outcome: 'asked' },
    ],
    events: [
      { name: 'echoed', data: { msg: 'hi' } },
      { name: 'large', data: 'x'.repeat(2_000) },
    ],
  }
  const direct: ToldRound = {
    ...{ roundId: 'exec:1', projectId: null, module: id('3'), endedAt: 101, success: null },
    ...{ escalated: null, members: [], events: [] },
  }
  /** The stored form: entries that exist already have to mean the same in every later version. */
  const stored: RoundEntries = {
    v: 1,
    ids: [id('1'), id('3')],
    members: [
      [wallet('a'), 'node_1'],
      [wallet('b'), 'node_2'],
      [wallet('b'), 'node_3'],
      [wallet('b'), 'node_4'],
      [wallet('b'), 'node_5'],
    ],
    rounds: [
      [
        '7'.repeat(64),
        ...([100, 0, 1, 23] as const),
        [
          [0, 10, 1],
          [1, 9, 10],
          [2, 8, 40],
          [3, 7, 49],
          [4, 6, 0],
        ],
        [['echoed', { msg: 'hi' }], ['large']],
      ],
      ['exec:1', 101, -1, 1, 0, [], []],
    ],
  }

  test('are stored in one fixed form', () => {
    expect(packRounds([told, direct])).toEqual(stored)
  })

  test('that are stored always produce the same events', () => {
    const short = eventsOfRounds(stored).map(({ type, created_at, node_id, data }) => [
      type,
      created_at,
      node_id,
      data,
    ])
    expect(short).toEqual([
      ['lease.offered', 90, 'node_1', undefined],
      ['lease.offered', 91, 'node_2', undefined],
      ['lease.offered', 92, 'node_3', undefined],
      ['lease.offered', 93, 'node_4', undefined],
      ['lease.offered', 94, 'node_5', undefined],
      ['round.escalated', 100, undefined, { reason: 'contested' }],
      ['module.event', 100, undefined, { name: 'echoed', data: { msg: 'hi' } }],
      ['module.event', 100, undefined, { name: 'large', omitted: true }],
      ['round.finalized', 100, undefined, { success: true }],
      ['proof.verified', 100, 'node_1', undefined],
      ['proof.rejected', 100, 'node_2', { reason: 'disagreed' }],
      ['lease.missed', 100, 'node_3', { reason: 'late' }],
      ['lease.missed', 100, 'node_4', { reason: null }],
    ])
    expect(eventsOfRounds(stored)[0]).toEqual({
      ...{ type: 'lease.offered', created_at: 90, project_id: id('1'), module: id('3') },
      ...{ round_id: `task:${id('7')}`, address: wallet('a'), node_id: 'node_1' },
    })
  })

  test('say why a round was escalated, where the build that stored them knew it', () => {
    const reasonsOf = (escalated: ToldRound['escalated']) =>
      eventsOfRounds(packRounds([{ ...direct, escalated }])).map(({ type, data }) => [type, data])
    expect(reasonsOf('audited')).toEqual([['round.escalated', { reason: 'audited' }]])
    expect(reasonsOf(null)).toEqual([])
    const ofEarlierBuild = { ...stored, rounds: [['exec:1', 101, -1, 1, 4, [], []]] } as RoundEntries
    expect(eventsOfRounds(ofEarlierBuild)).toEqual([
      { type: 'round.escalated', created_at: 101, module: id('3'), round_id: 'exec:1' },
    ])
  })

  test('take less than 400 bytes per task of three members if no member works twice, and 200 if thirty do all the work', () => {
    const digits = (index: number) => `0x${index.toString(16).padStart(40, 'f')}`
    const bytesWith = (members: number) => {
      const many = Array.from(
        { length: 100 },
        (_, index): ToldRound => ({
          ...told,
          ...{ roundId: `task:0x${String(index).padStart(64, '8')}`, escalated: null, events: [] },
          members: [0, 1, 2].map((position) => {
            const member = (index * 3 + position) % members
            const nodeId = `node_${String(member).padStart(16, '0')}`
            return { owner: digits(member), nodeId, askedAt: 90, outcome: 'verified' }
          }),
        }),
      )
      const body = packRounds(many)
      return (JSON.stringify(body).length + keysOf(eventsOfRounds(body)).length) / many.length
    }
    expect(bytesWith(300)).toBeLessThan(400)
    expect(bytesWith(30)).toBeLessThan(200)
  })
})
