import { expect, test } from 'vitest'
import { refusalOf } from '../../../../sdk/errors.ts'
import { AnswerError, RefusedToSign, UnreachableError } from '../../../../sdk/index.ts'
import { problemOf, walletProblemOf } from './problems.ts'

const refusal = (
  status: number,
  error: 'rate_limited' | 'unauthorized' | 'unavailable' | 'insufficient_collateral',
) =>
  refusalOf({ operation: 'POST /', status, body: { error, message: 'No.', request_id: 'r' }, retryAfter: 3 })

test.each([
  [walletProblemOf({ code: 4001, message: 'User rejected.' }), 'refused'],
  [walletProblemOf({ code: 4100 }), 'other_account'],
  [walletProblemOf({ code: -32603, message: 'Internal.' }), 'wallet'],
  [walletProblemOf(undefined), 'wallet'],
  [new RefusedToSign('bond would fail: The collateral is too low.'), 'fails_now'],
  [new RefusedToSign('The wallet refuses to sign this: message.amount differs from the request.'), 'differs'],
  [new UnreachableError('No hub answers.'), 'away'],
  [new AnswerError('Bad gateway.', 502), 'away'],
  [refusal(503, 'unavailable'), 'away'],
  [refusal(429, 'rate_limited'), 'limited'],
  [refusal(401, 'unauthorized'), 'ended'],
  [refusal(422, 'insufficient_collateral'), 'other'],
  ['text', 'other'],
])('%s is %s', (thrown, kind) => expect(problemOf(thrown).kind).toBe(kind))

test('a limit says when the next try is worth it', () => {
  const { againMs } = problemOf(refusal(429, 'rate_limited'))
  expect(Math.abs(Number(againMs) - Date.now() - 3_000)).toBeLessThan(2_000)
})
