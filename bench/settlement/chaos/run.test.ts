import { expect, test } from 'vitest'
import { hasAnvil } from '../../../localnet/testing/anvil.ts'
import { runOnNetwork } from './run.ts'

test.skipIf(!hasAnvil)(
  'hub and chain agree after scenarios in which the chain fails and the hub is killed',
  { timeout: 600_000 },
  async () => {
    const turns: number[] = []
    const result = await runOnNetwork({
      seeds: [1, 2, 3, 4],
      atOnce: 4,
      killEvery: 1,
      onProgress() {},
      onTurn: ({ scenarios }) => turns.push(scenarios),
    })
    expect(turns).toEqual([4])
    expect(result).toMatchObject({
      scenarios: 4,
      kills: 1,
      counts: { epochsWaiting: 0, slashesDisputed: 0, epochsPaid: expect.any(Number) },
    })
    expect(result.counts.epochsPaid).toBeGreaterThan(0)
    expect(result.counts.slashesExecuted).toBeGreaterThan(0)
  },
)
