import { expect, test } from 'vitest'
import { refusalOf } from '../../../sdk/errors.ts'
import { AnswerError, DeadlineError, HubError, UnreachableError } from '../../../sdk/index.ts'
import type { Schemas } from '../../../sdk/operations.ts'
import { isUncertain } from './uncertain.ts'

const refusal = (status: number, error: Schemas['Error']['error'], retryAfter?: number) =>
  refusalOf({ operation: 'POST /', status, body: { error, message: 'No.', request_id: 'r' }, retryAfter })

test.each([
  [new UnreachableError('No hub answers.'), true],
  [new DeadlineError('The time is up.'), true],
  [new AnswerError('Bad gateway.', 502), true],
  [refusal(503, 'unavailable'), true],
  [refusal(500, 'internal'), true],
  [refusal(409, 'conflict', 1), true],
  [refusal(408, 'unavailable'), true],
  [refusal(409, 'invalid_state'), false],
  [refusal(401, 'session_expired'), false],
  [refusal(400, 'invalid_field'), false],
  [new HubError('The session has ended.'), false],
  [new TypeError('A fault of this page.'), false],
])('%s leaves the outcome of the call unknown: %s', (error, expected) =>
  expect(isUncertain(error)).toBe(expected),
)
