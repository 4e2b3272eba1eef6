import { expect, test } from 'vitest'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { LocalNodeHere } from '../../testing/node/local-node-here.ts'
import { rehearse } from './kind.ts'
import { startPublicChain } from './public-chain.ts'
import { rehearsedChains } from './slot-chain.ts'

const seed = 1
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
const tokens = (amount: string): string => {
  const [whole = '0', part = ''] = amount.split('.')
  return String(BigInt(whole + part.padEnd(18, '0')))
}

test.skipIf(!hasAnvil)(
  'real nodes on a chain like Sepolia go from a stake to a posted epoch and a proposed slash',
  { timeout: 600_000 },
  async () => {
    const problems: string[] = []
    const sepolia = await startPublicChain(rehearsedChains.sepolia, seed, { slotMs: 500, stretchSecs: 600 })
    const telling = {
      folder: temporaryFolder(),
      say: () => {},
      problem: (text: string) => problems.push(text),
    }
    const plan = { tasks: 2, depths: [7, 2], isWhole: false }
    const sums = await rehearse(sepolia, plan, telling, {
      validators: 1,
      nodeOf: (place, surroundings) => new LocalNodeHere(place, surroundings),
    })
    expect(problems).toEqual([])
    // Each member that voted for the result has a unit of 0.01 tokens; on a machine that is busy some are late.
    const paid = 10n ** 16n * BigInt(sum(sums.credited))
    expect(paid).toBeGreaterThan(0n)
    expect(sums.vault).toMatchObject({
      paid: '0',
      reserved: String(paid),
      balance: tokens('10000'),
      tokens: tokens('10000'),
    })
    const lied = 'miner 3: invalid_result proposed null'
    expect(sums.slashes).toEqual([lied, lied])
    expect(sums.stakes).toEqual([tokens('160'), tokens('150'), tokens('150')])
    expect(sums.staking).toBe(tokens('460'))
    const { reorganisations, slots_missed, rate_limited } = sepolia.figures()
    expect(Math.min(Number(reorganisations), Number(slots_missed), Number(rate_limited))).toBeGreaterThan(0)
  },
)
