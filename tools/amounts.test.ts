import { expect, test } from 'vitest'
import { resolveProfile } from '../protocol/identity/index.ts'
import { inUnits, readAmount } from './amounts.ts'

const symbol = resolveProfile().token_symbol

test.each([
  ['500', '500'],
  [`500 ${symbol}`, `500${'0'.repeat(18)}`],
  [`1.5${symbol.toLowerCase()}`, `15${'0'.repeat(17)}`],
  [`0.${'0'.repeat(17)}1 ${symbol}`, '1'],
  ['007', '7'],
])('%s is %s base units', (text, wei) => {
  expect(readAmount('--fund', text, symbol)).toBe(wei)
})

test('an amount must have the symbol of the network’s token', () => {
  expect(readAmount('--fund', '2 SWM', 'SWM')).toBe(`2${'0'.repeat(18)}`)
  expect(() => readAmount('--fund', `2 ${symbol}`, 'SWM')).toThrow(
    `--fund must be in SWM, not "2 ${symbol}".`,
  )
})

test('a token has its own number of decimals', () => {
  expect(readAmount('AMOUNT', '2.5 USD', 'USD', 6)).toBe('2500000')
  expect(readAmount('AMOUNT', '2 ONE', 'ONE', 0)).toBe('2')
  expect(() => readAmount('AMOUNT', '0.1234567 USD', 'USD', 6)).toThrow('of at most 6 decimals')
  expect(inUnits({ symbol: 'USD', decimals: 6 }, '2500000')).toBe('2.5 USD')
  expect(inUnits({ symbol: 'ONE', decimals: 0 }, '20')).toBe('20 ONE')
})

test.each([
  ['1.5', /a number of base units, or an amount such as/],
  ['-1', /a number of base units/],
  ['1e3 X', /a number of base units/],
  ['', /a number of base units/],
  [`0.${'0'.repeat(18)}1 ${symbol}`, /a number of base units/],
  ['1'.repeat(90), /below 2\^256/],
])('"%s" is refused', (text, message) => {
  expect(() => readAmount('--fund', text, symbol)).toThrow(message)
})
