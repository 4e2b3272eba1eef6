import { describe, expect, test } from 'vitest'
import type { CheckedVote } from '../store/round-votes.ts'
import { countDirect, countFinality } from './counts.ts'

const validators = ['a', 'b', 'c', 'd']

const votes = (...cast: [key: string, subject: string][]): CheckedVote[] =>
  cast.map(([public_key, subject]) => ({ vote: { public_key } as CheckedVote['vote'], subject }))

describe('countFinality', () => {
  test('a quorum for one record decides', () => {
    expect(countFinality(votes(['a', 'x'], ['b', 'x']), validators)).toEqual({
      counts: { x: 2 },
      quorum: 3,
      decided: null,
      equivocators: [],
    })
    expect(countFinality(votes(['a', 'x'], ['b', 'x'], ['c', 'x']), validators).decided).toBe('x')
  })

  test('one that signed two records counts for both, and is named', () => {
    const count = countFinality(votes(['a', 'x'], ['a', 'y'], ['b', 'x'], ['c', 'x']), validators)
    expect(count).toMatchObject({ counts: { x: 3, y: 1 }, decided: 'x', equivocators: ['a'] })
  })

  test('nodes that are no validators count for nothing, and without validators nothing is decided', () => {
    const cast = votes(['a', 'x'], ['e', 'x'], ['f', 'x'])
    expect(countFinality(cast, validators)).toMatchObject({ counts: { x: 1 }, decided: null })
    expect(countFinality(cast, [])).toMatchObject({ counts: {}, quorum: 1, decided: null })
  })
})

test('countDirect: one that voted twice counts for nothing', () => {
  const cast = votes(['a', 'x'], ['a', 'y'], ['b', 'x'], ['c', 'x'])
  expect(countDirect(cast, validators)).toEqual({
    counts: { x: 2 },
    quorum: 3,
    decided: null,
    equivocators: ['a'],
  })
  expect(countDirect([...cast, ...votes(['d', 'x'])], validators).decided).toBe('x')
})
