import { describe } from 'vitest'
import { hasAnvil } from './network.ts'
import { testAmounts } from './slashing/amounts.ts'
import { testDisputes } from './slashing/disputes.ts'
import { useSubscription } from './slashing/fixture.ts'
import { testProposals } from './slashing/proposals.ts'

// One chain for all of them: starting one takes longer than most of these tests.
describe.skipIf(!hasAnvil)('Staking: slashes', () => {
  useSubscription()
  testProposals()
  testDisputes()
  testAmounts()
})
