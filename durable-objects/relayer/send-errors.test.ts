import { expect, test } from 'vitest'
import { readSendRefusal } from './send-errors.ts'

test.each([
  ['already known', 'already_known'],
  ['transaction already imported', 'already_known'],
  ['replacement transaction underpriced', 'already_known'],
  ['nonce too low', 'nonce_too_low'],
  ['nonce too low: next nonce 4, tx nonce 3', 'nonce_too_low'],
  ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1 baseFee: 2', 'underpriced'],
  ['transaction underpriced', 'underpriced'],
  ['insufficient funds for gas * price + value', 'insufficient_funds'],
  ['intrinsic gas too low', 'invalid'],
  ['exceeds block gas limit', 'invalid'],
  ['invalid chain id for signer: have 31337 want 1', 'temporary'],
  ['invalid sender', 'temporary'],
  ['txpool is full', 'temporary'],
  ['rate limit exceeded', 'temporary'],
  ['', 'temporary'],
])('%j is %s', (message, refusal) => {
  expect(readSendRefusal(message)).toBe(refusal)
})
