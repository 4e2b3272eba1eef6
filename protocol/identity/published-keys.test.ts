import { expect, test } from 'vitest'
import { anvilKeys, isAnvilKey } from './published-keys.ts'

test('every key of anvil is told by its beginning, and no other key is taken for one', () => {
  expect(anvilKeys.filter((key) => !isAnvilKey(key))).toEqual([])
  expect(isAnvilKey(`0xac0974bf${anvilKeys[0]!.slice(10)}`)).toBe(false)
})
