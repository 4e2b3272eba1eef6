import { describe, expect, test } from 'vitest'
import { hasAnvil } from '../../testing/anvil.ts'
import { runNetwork } from '../harness/scenarios.ts'
import { relayKind } from './kind.ts'

/** The schedules from this seed on have reorganisations above and below the final block, jumps, rotations and hidden receipts. */
const firstSeed = 43

describe.skipIf(!hasAnvil)('relayers on a chain that fails', () => {
  test('execute each accepted action once in 12 seeded scenarios of faults, even if workerd is killed', async () => {
    const seeds = Array.from({ length: 12 }, (_, index) => firstSeed + index)
    const kind = relayKind(3, 2)
    const { scenarios, figures } = await runNetwork(kind, { seeds, say: () => {} })
    expect([scenarios, figures.kills]).toEqual([12, 2])
    expect(figures.rotated).toBeGreaterThan(0)
    expect(Object.keys(figures.faults as object)).toEqual(
      expect.arrayContaining(['reorganisation', 'base_fee_jump', 'fee_cap', 'batch_refused']),
    )
  })
})
