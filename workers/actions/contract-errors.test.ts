import { expect, test } from 'vitest'
import { contractErrorsAbi } from '../../contracts/generated/errors.ts'
import { amountText, explainedErrors, refusalText } from './contract-errors.ts'

const token = { symbol: 'HUB', decimals: 18 }
const exampleOf: Record<string, string> = { address: `0x${'0a'.repeat(20)}`, bytes32: `0x${'51'.repeat(32)}` }

test('every explained error exists, and its arguments form a complete sentence', () => {
  const inputsOf = new Map<string, readonly { type: string }[]>(
    contractErrorsAbi.map(({ name, inputs }) => [name, inputs]),
  )
  inputsOf.set('TooMuchGas', [{ type: 'uint256' }, { type: 'uint256' }])
  for (const name of explainedErrors) {
    const args = inputsOf.get(name)?.map(({ type }) => exampleOf[type] ?? '1')
    expect([name, args]).toEqual([name, expect.any(Array)])
    const text = refusalText({ name, args: args ?? [], text: name }, token)
    expect(text).toMatch(/^[A-Z0].*\.$/)
    expect(text).not.toMatch(/undefined|NaN|refuses this/)
  }
})

test.each([
  ['0', '0 HUB'],
  ['1', '0.000000000000000001 HUB'],
  [1_500_000_000_000_000_000n, '1.5 HUB'],
  [2n ** 256n - 1n, '115792089237316195423570985008687907853269984665640564039457.584007913129639935 HUB'],
])('%s base units are %s', (amount, text) => {
  expect(amountText(amount, token)).toBe(text)
})
