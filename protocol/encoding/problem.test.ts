import { describe, expect, test } from 'vitest'
import { joinPath } from './canonical-encoder.ts'
import { ProblemList, problemsMax } from './problem.ts'

const problem = (path: string, code = 'invalid_value') => ({ path, code, message: '' })

describe('ProblemList', () => {
  test('keeps each problem once, and sorts by path, then by code', () => {
    const list = new ProblemList([problem('b'), problem('a', 'missing'), problem('b'), problem('a')])
    expect(list.found()).toEqual([problem('b'), problem('a', 'missing'), problem('a')])
    expect(list.sorted()).toEqual([problem('a'), problem('a', 'missing'), problem('b')])
  })

  test('keeps the first hundred problems', () => {
    const list = new ProblemList()
    for (let i = 0; i < problemsMax; i++) {
      expect(list.isFull).toBe(false)
      list.add(problem(`[${i}]`))
    }
    expect(list.isFull).toBe(true)
    list.add(problem('one more'))
    expect(list.found()).toHaveLength(problemsMax)
    expect(list.found().at(-1)).toEqual(problem('[99]'))
  })
})

describe('joinPath', () => {
  test('ends a long path with an ellipsis, and shows no step after it', () => {
    const whole = joinPath('a', 'k'.repeat(198))
    expect(whole).toHaveLength(200)
    expect(joinPath(whole, 0)).toBe(`${whole}…`)
    expect(joinPath(joinPath(whole, 0), 'member')).toBe(`${whole}…`)
    expect(joinPath('', 'k'.repeat(20_000))).toBe(`${'k'.repeat(200)}…`)
  })
})
