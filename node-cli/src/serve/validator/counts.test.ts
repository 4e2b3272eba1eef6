import { describe, expect, test } from 'vitest'
import type { FinalityVote } from '../../../../protocol/rounds/index.ts'
import type { CheckedVote } from '../store/round-votes.ts'
import { countDirect, countFinality } from './counts.ts'

const validators = ['a', 'b', 'c', 'd']
const four = () => validators

const votes = (...cast: [key: string, subject: string][]): CheckedVote<FinalityVote>[] =>
  cast.map(([public_key, subject]) => ({ vote: { public_key } as FinalityVote, subject }))

describe('countFinality', () => {
  test('a quorum for one record decides', () => {
    expect(countFinality(votes(['a', 'x'], ['b', 'x']), four)).toEqual({
      counts: { x: 2 },
      quorum: 3,
      decided: null,
      equivocators: [],
    })
    expect(countFinality(votes(['a', 'x'], ['b', 'x'], ['c', 'x']), four).decided).toBe('x')
  })

  test('a validator that signed two records counts for both, and is named', () => {
    const count = countFinality(votes(['a', 'x'], ['a', 'y'], ['b', 'x'], ['c', 'x']), four)
    expect(count).toMatchObject({ counts: { x: 3, y: 1 }, decided: 'x', equivocators: ['a'] })
  })

  test('nodes that are not validators do not count, and without validators nothing is decided', () => {
    const cast = votes(['a', 'x'], ['e', 'x'], ['f', 'x'])
    expect(countFinality(cast, four)).toMatchObject({ counts: { x: 1 }, decided: null })
    expect(countFinality(cast, () => [])).toMatchObject({ counts: {}, quorum: 1, decided: null })
  })

  test('each record is counted by the validators of its own epoch', () => {
    const of = (epoch: number, subject: string, keys: string) =>
      [...keys].map((public_key) => ({ vote: { public_key, finality: { epoch } } as FinalityVote, subject }))
    const validatorsOf = ({ epoch }: { epoch: number }) => (epoch === 1 ? validators : [...'abcdef'])
    const before = of(1, 'x', 'abc')
    expect(countFinality(before, validatorsOf)).toMatchObject({ quorum: 3, decided: 'x' })
    expect(countFinality(of(2, 'x', 'abce'), validatorsOf)).toMatchObject({ quorum: 5, decided: null })
    expect(countFinality([...of(2, 'y', 'abef'), ...of(1, 'x', 'abcef')], validatorsOf)).toMatchObject({
      counts: { x: 3, y: 4 },
      decided: 'x',
    })
  })
})

test('countDirect: a validator that voted twice does not count', () => {
  const cast = votes(['a', 'x'], ['a', 'y'], ['b', 'x'], ['c', 'x'])
  expect(countDirect(cast, validators)).toEqual({
    counts: { x: 2 },
    quorum: 3,
    decided: null,
    equivocators: ['a'],
  })
  expect(countDirect([...cast, ...votes(['d', 'x'])], validators).decided).toBe('x')
})
