import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collateralHealth } from '../../../../protocol/actions/index.ts'
import { baseUnits, byToken, healthyAmount, typed } from './amounts.ts'

test.each([
  ['1', 18, '1000000000000000000'],
  [' 120.5 ', 18, '120500000000000000000'],
  ['0.1', 1, '1'],
  ['7.', 0, '7'],
])('%s with %i decimals is %s', (text, decimals, units) => expect(baseUnits(text, decimals)).toBe(units))

test.each(['', '0', '0.0', '-1', '1,5', '1e3', '.5', '0.12', 'many', '9'.repeat(31)])(
  '%s is not an amount with one decimal',
  (text) => expect(baseUnits(text, 1)).toBeNull(),
)

test('an amount formatted for editing parses back to the same amount', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 40n }),
      fc.integer({ min: 0, max: 18 }),
      (amount, decimals) => {
        const text = typed(String(amount), decimals)
        if (text.length <= 30) expect(baseUnits(text, decimals)).toBe(String(amount))
      },
    ),
  )
})

test('amounts of the same token are added up, amounts of different tokens are not', () => {
  const [a, b] = ['0xa', '0xb'].map((address) => ({ address, symbol: address, name: '', decimals: 18 }))
  const all = [
    { token: a!, amount: '1' },
    { token: b!, amount: '5' },
    { token: a!, amount: '2' },
  ]
  expect(byToken(all).map(({ token, amount }) => [token.address, amount])).toEqual([
    ['0xa', '3'],
    ['0xb', '5'],
  ])
})

test('the proposed amount is the smallest that makes the collateral healthy by the rule of the hub', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 30n), fc.bigInt(0n, 10n ** 30n), (least, bonded) => {
      const sum = bonded + BigInt(healthyAmount(String(least), String(bonded)))
      expect(sum * 10n >= least * 12n).toBe(true)
      expect(collateralHealth(sum, least)).toBe('healthy')
      if (sum > bonded) expect((sum - 1n) * 10n < least * 12n).toBe(true)
    }),
  )
})
