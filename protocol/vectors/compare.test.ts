import { describe, expect, test } from 'vitest'
import { agrees } from './compare.ts'

describe('agrees', () => {
  test.each([
    ['members left out are not compared', { a: 1 }, { a: 1, b: 2 }, true],
    ['at any depth', { list: [{ a: 1 }] }, { list: [{ a: 1, b: 2 }] }, true],
    ['a stated member must be there', { a: null }, {}, false],
    ['lists have the same length', [1], [1, 2], false],
    ['an object is no list', {}, [], false],
    ['null is no object', {}, null, false],
    ['text is no number', '1', 1, false],
    [
      'contains: among the problems',
      { contains: { path: 'a' } },
      { problems: [{ path: 'b' }, { path: 'a', code: 'c' }] },
      true,
    ],
    ['contains: all', { contains: [{ path: 'a' }, { path: 'z' }] }, { problems: [{ path: 'a' }] }, false],
    ['contains: no problems at all', { contains: { path: 'a' } }, {}, false],
  ])('%s', (_, expected, got, same) => {
    expect(agrees(expected, got)).toBe(same)
  })
})
