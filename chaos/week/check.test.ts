import { describe, expect, test } from 'vitest'
import { checkVault, Ledger } from './check.ts'
import { owedFor, type RoundRecord, type Rules } from './records.ts'
import type { VaultBooks } from './vault-books.ts'

const rules: Rules = {
  projectId: `0x${'11'.repeat(32)}`,
  epochSecs: 3_600,
  economics: {
    reward_model: 'per-unit',
    reward_per_unit: '10000000000000001',
    daily_emission: '1000000000000000000000',
    fee_split_bp: { miner: 8_000, developer: 1_500, treasury: 500 },
    max_units_per_epoch: 1_000_000,
    max_recipients_per_epoch: 100,
  },
}
const miner = `0x${'aa'.repeat(20)}`
const address = `0x${'cc'.repeat(20)}`
const other = `0x${'bb'.repeat(20)}`
const roundOf = (...payouts: string[]) =>
  ({
    finality: { gas_used: 10, voters: payouts.map((payout_address) => ({ payout_address })) },
  }) as unknown as RoundRecord
const owed = owedFor(rules, 7, [roundOf(miner, other), roundOf(miner)])!

/** The books of a vault that paid the amounts owed. */
const books = (change: Partial<VaultBooks> = {}): VaultBooks => {
  const { developer, treasury, gross, root } = owed
  const funded = 10n ** 18n
  return {
    posted: [{ address, epoch: 7n, merkleRoot: root, miner: owed.miner, developer, treasury }],
    claimed: owed.shares.map(({ miner, amount }) => ({ address, epoch: 7n, miner, amount: BigInt(amount) })),
    fees: [{ address, epoch: 7n, developer, treasury }],
    funded: [{ address, amount: funded }],
    summary: { balance: funded - gross, reserved: 0n, totalFunded: funded, totalPaid: gross },
    held: funded - gross,
    ...change,
  }
}

const differencesOf = (found: VaultBooks): readonly string[] => {
  const ledger = new Ledger()
  checkVault(ledger, found, new Map([[7, owed]]))
  return ledger.differences
}

describe('a vault compared with the records of rounds', () => {
  test('owes the recipient of each vote a share, and the treasury the rounding remainder', () => {
    expect(owed.shares).toEqual([
      { miner, units: 2, amount: '16000000000000001' },
      { miner: other, units: 1, amount: '8000000000000000' },
    ])
    expect(owed.miner + owed.developer + owed.treasury).toBe(30_000_000_000_000_003n)
  })

  test('has no difference if it paid the amounts owed', () => {
    expect(differencesOf(books())).toEqual([])
  })

  test('has a difference if any amount, root or claim is wrong, even by one unit', () => {
    const { posted, claimed, fees, summary, held } = books()
    const wrong: Partial<VaultBooks>[] = [
      { posted: [] },
      { posted: posted.map((one) => ({ ...one, merkleRoot: `0x${'00'.repeat(32)}` })) },
      { posted: posted.map((one) => ({ ...one, miner: one.miner + 1n })) },
      { claimed: claimed.map((one, at) => ({ ...one, amount: one.amount + (at === 0 ? 1n : 0n) })) },
      { claimed: claimed.slice(1) },
      { claimed: [...claimed, claimed[0]!] },
      { fees: fees.map((one) => ({ ...one, treasury: one.treasury - 1n })) },
      { fees: [] },
      { summary: { ...summary, reserved: 1n } },
      { summary: { ...summary, totalPaid: summary.totalPaid + 1n } },
      { summary: { ...summary, balance: summary.balance - 1n } },
      { held: held - 1n },
    ]
    for (const change of wrong) expect(differencesOf(books(change))).not.toEqual([])
  })
})
