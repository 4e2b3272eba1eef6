import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { leaderOfAttempt, leaderOrder } from './leader.ts'

const projectId = hashText('project')
const validators = fc.uniqueArray(
  fc.nat().map((n) => hashText(String(n))),
  { minLength: 1, maxLength: 12 },
)

test('property: everybody leads once before anybody leads again, however the validators are listed', () => {
  fc.assert(
    fc.property(validators, fc.nat(), fc.nat(100), (keys, epoch, first) => {
      const leaders = keys.map((_, i) => leaderOfAttempt(keys, projectId, epoch, first + i))
      expect(new Set(leaders)).toEqual(new Set(keys))
      expect(leaderOfAttempt(keys, projectId, epoch, first + keys.length)).toBe(leaders[0])
      expect(leaderOrder([...keys].reverse(), projectId, epoch)).toEqual(leaderOrder(keys, projectId, epoch))
    }),
  )
})
