import { expect, test } from 'vitest'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { rehearse } from './kind.ts'
import { startSepolia } from './sepolia.ts'

const seed = 1
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
const tokens = (amount: string): string => {
  const [whole = '0', part = ''] = amount.split('.')
  return String(BigInt(whole + part.padEnd(18, '0')))
}

test.skipIf(!hasAnvil)(
  'a network on a chain like Sepolia, with real nodes: from a stake to a payout, a slash and the end of the stake',
  { timeout: 600_000 },
  async () => {
    const problems: string[] = []
    const sepolia = await startSepolia(seed)
    const telling = {
      folder: temporaryFolder(),
      say: () => {},
      problem: (text: string) => problems.push(text),
    }
    const plan = { tasks: 3, depths: [7, 2], isWhole: false }
    const sums = await rehearse(sepolia, plan, telling, 1)
    expect(problems).toEqual([])
    // Each member that voted for the result has a unit of 0.01 tokens; on a machine that is busy some are late.
    const paid = 10n ** 16n * BigInt(sum(sums.credited))
    expect(paid).toBeGreaterThan(0n)
    expect(sums.vault).toMatchObject({
      paid: String(paid),
      reserved: '0',
      balance: String(BigInt(sums.vault.funded) - paid),
    })
    expect(sums.vault.tokens).toBe(sums.vault.balance)
    const lied = 'miner 3: invalid_result executed '
    expect(sums.slashes).toEqual([lied + tokens('37.5'), lied + tokens('37.5')])
    expect(sums.stakes).toEqual([tokens('160'), tokens('150'), tokens('75')])
    expect(sums.treasury).toBe(String(BigInt(tokens('100075')) + (paid * 5n) / 100n))
    const { reorganisations, slots_missed, rate_limited } = sepolia.figures()
    expect(Math.min(Number(reorganisations), Number(slots_missed), Number(rate_limited))).toBeGreaterThan(0)
  },
)
