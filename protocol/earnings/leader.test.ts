import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { property } from '../testing/property.ts'
import { leaderOfAttempt, leaderOrder } from './leader.ts'

const projectId = hashText('project')
const validators = fc.uniqueArray(
  fc.nat().map((n) => hashText(String(n))),
  { minLength: 1, maxLength: 12 },
)

property(
  'everybody leads once before anybody leads again, however the validators are listed',
  [validators, fc.nat(), fc.nat(100)],
  (keys, epoch, first) => {
    const leaders = keys.map((_, i) => leaderOfAttempt(keys, projectId, epoch, first + i))
    expect(new Set(leaders)).toEqual(new Set(keys))
    expect(leaderOfAttempt(keys, projectId, epoch, first + keys.length)).toBe(leaders[0])
    const order = leaderOrder(keys, projectId, epoch)
    expect(leaders[0]).toBe(order[first % keys.length])
    expect(leaderOrder([...keys].reverse(), projectId, epoch)).toEqual(order)
  },
)

test('an empty list of validators has no leader', () => {
  expect(leaderOfAttempt([], projectId, 1, 0)).toBeUndefined()
})
