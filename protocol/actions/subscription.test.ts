import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultNetworkParams } from '../identity/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  allowsCall,
  nextReputation,
  type ReputationEvent,
  reputationChange,
  reputationSteps,
  subscriptionStates,
} from './subscription.ts'

describeVectors('subscription')

const events = fc.array(fc.constantFrom(...(Object.keys(reputationSteps) as ReputationEvent[])))
property('a reputation never leaves its bounds, whatever happens', [events], (list) => {
  let reputation = defaultNetworkParams.reputation_initial
  for (const event of list) {
    reputation = nextReputation(reputation, event, defaultNetworkParams)
    expect(reputation).toBeGreaterThanOrEqual(1000)
    expect(reputation).toBeLessThanOrEqual(10_000)
  }
})

property(
  'the change of many events gives what they give one by one',
  [events, fc.integer({ min: 1_000, max: 10_000 })],
  (list, before) => {
    const { shift, least, most } = reputationChange(list, defaultNetworkParams)
    const after = list.reduce((now, event) => nextReputation(now, event, defaultNetworkParams), before)
    expect(Math.min(most, Math.max(least, before + shift))).toBe(after)
  },
)

test('a closed subscription allows no call', () => {
  const standing = { status: 'closed', release_at: 0, pending_slashes: 0 } as const
  for (const call of ['bond', 'pause', 'resume', 'payout', 'unbond', 'withdraw'] as const)
    expect(allowsCall(standing, call, 1)).toBe(false)
})

property(
  'collateral never leaves while a slash is pending',
  [fc.constantFrom(...subscriptionStates), fc.nat(), fc.integer({ min: 1 })],
  (status, now, slashes) => {
    expect(allowsCall({ status, release_at: 0, pending_slashes: slashes }, 'withdraw', now)).toBe(false)
  },
)
