import { expect, test, vi } from 'vitest'
import { refusalOf } from '../../../../sdk/errors.ts'
import {
  AnswerError,
  DeadlineError,
  RefusedToSign,
  UnreachableError,
  WrongClock,
} from '../../../../sdk/index.ts'
import type { Schemas } from '../../../../sdk/operations.ts'
import { isRefused, isUnknownChain, problemOf, walletProblemOf } from './problems.ts'

const refusal = (status: number, error: Schemas['Error']['error'], retryAfter?: number) =>
  refusalOf({ operation: 'POST /', status, body: { error, message: 'No.', request_id: 'r' }, retryAfter })

test.each([
  [walletProblemOf({ code: 4001, message: 'User rejected.' }), 'refused'],
  [walletProblemOf({ code: 'ACTION_REJECTED', message: 'No.' }), 'refused'],
  [walletProblemOf({ code: -32603, data: { originalError: { code: 4001 } } }), 'refused'],
  [walletProblemOf(new Error('Outer.', { cause: { code: 4001 } })), 'refused'],
  [walletProblemOf({ code: -32000, message: 'User denied message signature.' }), 'refused'],
  [walletProblemOf({ code: 4100 }), 'other_account'],
  [walletProblemOf({ code: -32603, message: 'Internal.' }), 'wallet'],
  [walletProblemOf(undefined), 'wallet'],
  [new RefusedToSign('bond would fail: The collateral is too low.'), 'fails_now'],
  [new RefusedToSign('The wallet refuses to sign this: message.amount differs from the request.'), 'differs'],
  [new WrongClock('This machine is 400 s behind the hub.', 400), 'clock'],
  [new UnreachableError('No hub answers.'), 'away'],
  [new AnswerError('Bad gateway.', 502), 'away'],
  [refusal(503, 'unavailable'), 'away'],
  [refusal(429, 'rate_limited'), 'limited'],
  [refusal(401, 'unauthorized'), 'ended'],
  [refusal(422, 'insufficient_collateral'), 'other'],
  ['text', 'other'],
])('%s is %s', (thrown, kind) => expect(problemOf(thrown).kind).toBe(kind))

test.each([
  [{ code: 4902, message: 'Unrecognized chain ID.' }, true],
  [{ code: -32603, message: 'Internal.', data: { originalError: { code: 4902 } } }, true],
  [new Error('Outer.', { cause: { code: 4902 } }), true],
  [{ code: -32603, message: 'Internal.' }, false],
  [{ code: 4001, data: { originalError: null } }, false],
  [null, false],
])('a wallet that answers %j does not know the chain: %s', (thrown, expected) =>
  expect(isUnknownChain(thrown)).toBe(expected),
)

test('a rate limit says when to try again', () => {
  vi.useFakeTimers({ now: 1_000_000 })
  try {
    expect(problemOf(refusal(429, 'rate_limited', 3)).againMs).toBe(1_003_000)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  [refusal(422, 'insufficient_collateral'), true],
  [refusal(401, 'session_expired'), true],
  [refusal(429, 'rate_limited'), true],
  [refusal(404, 'not_found'), true],
  [refusal(409, 'invalid_state'), true],
  [refusal(409, 'conflict', 1), false],
  [refusal(503, 'unavailable'), false],
  [new DeadlineError('The time is up.'), false],
  [new UnreachableError('No hub answers.'), false],
  [new AnswerError('No JSON.', 200), false],
  [new AnswerError('Forbidden by something in between.', 403), false],
  [new TypeError('A fault of this page.'), false],
])('after signing, %s proves that the hub did not accept the action: %s', (thrown, expected) =>
  expect(isRefused(thrown)).toBe(expected),
)
