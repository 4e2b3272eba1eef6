import { expect, test } from 'vitest'
import { readSendRefusal } from './send-errors.ts'

test.each([
  ['already known', 'known'],
  ['transaction already imported', 'known'],
  ['replacement transaction underpriced', 'known'],
  ['nonce too low', 'nonce_used'],
  ['nonce too low: next nonce 4, tx nonce 3', 'nonce_used'],
  ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1 baseFee: 2', 'underpriced'],
  ['transaction underpriced', 'underpriced'],
  ['insufficient funds for gas * price + value', 'funds'],
  ['intrinsic gas too low', 'invalid'],
  ['exceeds block gas limit', 'invalid'],
  ['invalid chain id for signer: have 31337 want 1', 'passing'],
  ['invalid sender', 'passing'],
  ['txpool is full', 'passing'],
  ['rate limit exceeded', 'passing'],
  ['', 'passing'],
])('%j is %s', (message, refusal) => {
  expect(readSendRefusal(message)).toBe(refusal)
})
