import { expect, test } from 'vitest'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { rehearse } from './kind.ts'
import { startSepolia } from './sepolia.ts'

const seed = 1
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
    // Two members of three were honest in two tasks, and all of them in the third: seven units of 0.01.
    const paid = tokens('0.07')
    expect(sums.vault).toMatchObject({
      paid,
      reserved: '0',
      balance: String(BigInt(sums.vault.funded) - BigInt(paid)),
    })
    expect(sums.vault.tokens).toBe(sums.vault.balance)
    const lied = 'miner 3: invalid_result executed '
    expect(sums.slashes).toEqual([lied + tokens('37.5'), lied + tokens('37.5')])
    expect(sums.stakes).toEqual([tokens('160'), tokens('150'), tokens('75')])
    expect(sums.treasury).toBe(String(BigInt(tokens('100075')) + BigInt(tokens('0.0035'))))
    const { reorganisations, slots_missed, rate_limited } = sepolia.figures()
    expect(Math.min(Number(reorganisations), Number(slots_missed), Number(rate_limited))).toBeGreaterThan(0)
  },
)
