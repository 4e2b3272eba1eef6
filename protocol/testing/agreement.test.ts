import { expect, test } from 'vitest'
import { compare } from './agreement/comparison.ts'
import { consensusComparisons } from './agreement/consensus.ts'
import { settlementComparisons } from './agreement/settlement.ts'

/** Always the same cases: `npm run agree` takes others. */
test.each([...consensusComparisons, ...settlementComparisons])(
  'the plain rules agree: $name',
  (comparison) => {
    const kinds = compare(comparison, { numRuns: comparison.casesOfSuite, seed: 1 })
    expect([...kinds.keys()]).toEqual(expect.arrayContaining([...comparison.kinds]))
  },
)
