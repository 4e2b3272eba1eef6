import { describe, expect, test } from 'vitest'
import { HubError } from '../hub/index.ts'
import { partingOf, partingOfError, reconnectSeconds } from './reconnection.ts'

describe('reconnectSeconds', () => {
  test.each([
    [0, 1, 4],
    [1, 1, 8],
    [4, 1, 60],
    [1000, 1, 60],
  ])('after %i failures in a row, from %i to %i s', (failures, least, most) => {
    expect([reconnectSeconds(failures, 0), reconnectSeconds(failures, 1)]).toEqual([least, most])
  })

  test.each([
    [10, 0, 10],
    [10, 2, 40],
    [10, 9, 60],
    [90, 0, 90],
    [90, 9, 90],
  ])('of a hub that asks for %i s, after %i failures, up to %i s', (returnSecs, failures, most) => {
    expect(reconnectSeconds(failures, 0, returnSecs)).toBe(1)
    expect(reconnectSeconds(failures, 1, returnSecs)).toBe(most)
  })
})

const refusal = { message: 'No.', reason: null, retryAfterSeconds: null }
const refused = (status: number, change: Partial<typeof refusal> | object = {}) =>
  partingOf({ kind: 'refused', status, refusal: { ...refusal, ...change } }, 4, 1)
const closed = (code: number, message = '') => partingOf({ kind: 'closed', code, message }, 4, 1)

describe('partingOf', () => {
  test.each([
    ['nobody answers', partingOf({ kind: 'unreachable', message: 'refused' }, 4, 1), 'away', 4],
    ['cut', closed(1006, 'read ECONNRESET'), 'away', 4],
    ['broken frames', closed(1008), 'away', 4],
    ['a restart of the hub', closed(1012), 'away', 4],
    ['another process', closed(4001), 'replaced', null],
    ['a ban', closed(4003), 'banned', 60],
    ['a ban before', refused(403, { reason: 'banned' }), 'banned', 60],
    [
      'a ban, and a hub that says when',
      refused(403, { reason: 'banned', retryAfterSeconds: 90 }),
      'banned',
      90,
    ],
    ['not registered yet', refused(403, { reason: 'not_registered' }), 'away', 4],
    ['not known yet', refused(401, { reason: 'unknown_key' }), 'away', 4],
    ['not bound', refused(403, { reason: 'not_bound' }), 'refused', 60],
    ['a bad signature', refused(401), 'refused', 60],
    ['a time that has leapt', partingOf({ kind: 'refused', status: 401, refusal }, 4, 1, true), 'away', 4],
    ['no link', refused(426), 'refused', 60],
    ['a busy hub', refused(503), 'away', 4],
    ['a busy hub that says when', refused(429, { retryAfterSeconds: 90 }), 'away', 90],
    ['one that says never', refused(503, { retryAfterSeconds: 1e9 }), 'away', 3600],
  ])('%s', (_, parting, state, retryInSeconds) => {
    expect(parting).toMatchObject({ state, retryInSeconds, problem: expect.stringMatching(/\S/) })
  })
})

describe('partingOfError', () => {
  test.each([
    [new HubError('unreachable', 'hub_unreachable', 'no hub answers'), 'away', 4, 'no hub answers'],
    [
      new HubError('refused', 'rate_limited', 'busy', { status: 429, retryAfterSeconds: 30 }),
      'away',
      30,
      'busy',
    ],
    [
      new HubError('invalid_answer', 'wrong_network', 'is the hub of other', { hint: 'Say so.' }),
      'refused',
      60,
      'is the hub of other. Say so.',
    ],
  ])('%s', (error, state, retryInSeconds, problem) => {
    expect(partingOfError(error, 4, 1)).toEqual({ state, retryInSeconds, problem })
  })

  test('a bug is not a reason to reconnect', () => {
    expect(() => partingOfError(new TypeError('bug'), 4, 1)).toThrow(TypeError)
  })
})
