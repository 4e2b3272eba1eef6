import { describe, expect, test } from 'vitest'
import { agreeing, framesOf, type Ring, ringOf, ringOfSummary } from './ring.ts'
import { texts } from './texts.ts'

const validators = { count: 4, quorum: 3 }
const summary = { round_id: 'task:0x1', kind: 'task', state: 'finalized', created_at: 1 } as const
const stepsOf = (ring: Ring) => framesOf(ring).map(({ step }) => step)
const sentenceOf = (ring: Ring) => texts.ring.sentence(ring, framesOf(ring).at(-1)!)

const member = (position: number, role: 'primary' | 'backup', weight: string) =>
  ({ position, role, node_id: `node-${position}`, weight }) as never
const vote = (position: number, receipt_hash: string) =>
  ({ receipt_hash, committee: { position }, node_id: `node-${position}` }) as never
const committee = (draw: never[], fallback = false) => ({ draw, quorum: 3, fallback }) as never

describe('the ring of a committee', () => {
  test('shows each vote, the quorum and each signature of an undisputed round', () => {
    const ring = ringOfSummary({ ...summary, committee_size: 3, votes: 3, agreeing: 3 }, validators)
    expect(stepsOf(ring)).toEqual([
      ...['received', 'drawn', 'asked', 'voted', 'voted', 'voted', 'agreed'],
      ...['signed', 'signed', 'signed', 'final'],
    ])
    expect(sentenceOf(ring)).toBe(
      'Committee of 3 devices. 3 voted, 3 with the same result; 3 must agree. 3 of 4 validators signed. State: Final.',
    )
  })

  test('says that the function failed in a final round', () => {
    const failed = { ...summary, committee_size: 3, votes: 3, agreeing: 3, success: false }
    expect(sentenceOf(ringOfSummary(failed, validators))).toMatch(/State: Final\. Function failed\.$/)
    const [first] = framesOf(ringOfSummary(failed, validators))
    expect(texts.ring.sentence(ringOfSummary(failed, validators), first!)).not.toContain('failed')
  })

  test('shows the accepted result of a contested round first, and that validators run the task', () => {
    const ring = ringOf(
      {
        ...summary,
        receipt_hash: '0xb',
        committee: committee([
          member(0, 'primary', '4'),
          member(1, 'primary', '2'),
          member(2, 'primary', '1'),
          member(3, 'backup', '1'),
        ]),
        votes_detail: [vote(0, '0xa'), vote(1, '0xa'), vote(3, '0xb')],
        audited: true,
      },
      validators,
    )
    expect(ring.votes).toEqual([
      { seat: 0, result: 1 },
      { seat: 1, result: 1 },
      { seat: 3, result: 0 },
    ])
    expect(ring.seats.map(({ weight, backup }) => [weight, backup])).toEqual([
      ...[
        [1, false],
        [0.5, false],
        [0.25, false],
        [0.25, true],
      ],
    ])
    expect(agreeing(ring.votes)).toBe(1)
    expect(stepsOf(ring)).toEqual(['received', 'drawn', 'asked', 'voted', 'voted', 'voted', 'rerun', 'final'])
    expect(sentenceOf(ring)).toBe(
      'Committee of 3 devices and 1 backup. 3 voted, 1 with the same result; 3 must agree. So validators ran the task. State: Final.',
    )
  })

  test('shows that validators run a task without a committee', () => {
    const round = { ...summary, state: 'fallback', committee: committee([], true) } as const
    expect(stepsOf(ringOf(round, validators))).toEqual(['received', 'rerun'])
    expect(sentenceOf(ringOf(round, validators))).toBe(
      'No committee: validators run the task. State: Fallback.',
    )
  })

  test('shows only votes of validators for a round of an epoch', () => {
    const ring = ringOf({ ...summary, kind: 'epoch', votes: 4, agreeing: 4 }, validators)
    expect(stepsOf(ring)).toEqual(['received', 'signed', 'signed', 'signed', 'signed', 'final'])
    expect(sentenceOf(ring)).toBe(
      'Validators vote on it, without a committee. 4 of 4 validators signed. State: Final.',
    )
  })

  test('stops at the current step of an unfinished round', () => {
    const ring = ringOfSummary(
      { ...summary, state: 'pending', committee_size: 3, votes: 1, agreeing: 1 },
      validators,
    )
    expect(framesOf(ring).at(-1)).toEqual({
      step: 'voted',
      asked: true,
      votes: 1,
      signed: 0,
      state: 'running',
    })
  })
})
