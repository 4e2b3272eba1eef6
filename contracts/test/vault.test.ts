import { describe } from 'vitest'
import { hasAnvil } from './network.ts'
import { testEpochs } from './vault/epochs.ts'
import { useVault } from './vault/fixture.ts'
import { testFunds } from './vault/funds.ts'
import { testPayments } from './vault/payments.ts'
import { testTokens } from './vault/tokens.ts'
import { testTrees } from './vault/trees.ts'

// One chain for all of them: starting one takes longer than most of these tests.
describe.skipIf(!hasAnvil)('ProjectVault', () => {
  useVault()
  testFunds()
  testEpochs()
  testPayments()
  testTokens()
  testTrees()
})
