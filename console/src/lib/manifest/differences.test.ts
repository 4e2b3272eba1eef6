import { expect, test } from 'vitest'
import { differencesOf } from './differences.ts'

const first = {
  version: 1,
  previous: null,
  consensus: { work: { functions: ['a', 'b'], gas: 5 }, gone: { x: 1 } },
  listing: { name: 'One', video: null },
}

test.each([
  ['equal manifests have no difference', first, first, []],
  ['another version number alone is not a difference', first, { ...first, version: 2, previous: '0x1' }, []],
  [
    'changed, new and removed members',
    first,
    {
      ...first,
      consensus: { work: { functions: ['b'], gas: 5, more: true } },
      listing: { name: 'Two', video: 'https://a.example/' },
    },
    [
      [['consensus', 'work', 'functions'], 'a, b', 'b'],
      [['consensus', 'work', 'more'], null, 'true'],
      [['listing', 'name'], 'One', 'Two'],
      [['listing', 'video'], '', 'https://a.example/'],
      [['consensus', 'gone', 'x'], '1', null],
    ],
  ],
  [
    'all members of a first manifest, including empty ones',
    null,
    { listing: { name: 'One', video: null } },
    [
      [['listing', 'name'], null, 'One'],
      [['listing', 'video'], null, ''],
    ],
  ],
])('%s', (_, before, after, rows) => {
  expect(differencesOf(before, after).map((row) => [row.path, row.before, row.after])).toEqual(rows)
})
