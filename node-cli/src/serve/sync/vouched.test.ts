import { expect, test } from 'vitest'
import { vouchedModules, vouchersNeeded } from './vouched.ts'

const module = (address: string, sequence = 1, state_root = 'root') => ({ address, sequence, state_root })

test('more than half of the others must agree, so that no two states can qualify', () => {
  expect([1, 2, 3, 4, 5, 30].map(vouchersNeeded)).toEqual([1, 2, 2, 3, 3, 16])
})

test('a state counts if enough peers agree; states of fewer are left out, disagreements are reported', () => {
  const lists = [
    { peer: 'a', modules: [module('1'), module('2'), module('3'), module('4', 5)] },
    { peer: 'b', modules: [module('1'), module('2', 2), module('4', 5)] },
    { peer: 'c', modules: [module('1', 1, 'another root'), module('4', 5)] },
  ]
  expect(vouchedModules(lists, 2)).toEqual({
    modules: [
      { ...module('1'), peers: ['a', 'b'] },
      { ...module('4', 5), peers: ['a', 'b', 'c'] },
    ],
    unsettled: ['2'],
  })
})
