import { describe, expect, test } from 'vitest'
import { agrees } from './compare.ts'

describe('agrees', () => {
  test.each([
    ['members left out are not compared', { a: 1 }, { a: 1, b: 2 }, true],
    [
      'members left out at any depth are not compared',
      { list: [{ a: 1 }] },
      { list: [{ a: 1, b: 2 }] },
      true,
    ],
    ['a stated member must exist', { a: null }, {}, false],
    ['lists have the same length', [1], [1, 2], false],
    ['an object is not a list', {}, [], false],
    ['null is not an object', {}, null, false],
    ['a text is not a number', '1', 1, false],
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
