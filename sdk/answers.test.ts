import { describe, expect, test } from 'vitest'
import { unwrap, unwrapIfFound } from './answers.ts'
import { connect } from './connect.ts'
import { HubError } from './hub-error.ts'

/** A call whose answer this is. */
const call = (status: number, body: string) =>
  connect('http://hub.test', {
    fetch: async ({ url }) => Object.defineProperty(new Response(body, { status }), 'url', { value: url }),
  }).GET('/v1/developers/me')

describe('an answer', () => {
  test('gives its body', async () => {
    expect(await unwrap(call(200, '{"name":"Ada"}'))).toEqual({ name: 'Ada' })
    expect(await unwrapIfFound(call(200, '{"name":"Ada"}'))).toEqual({ name: 'Ada' })
  })

  test.each([
    [
      403,
      '{"error":"forbidden","message":"Not yours."}',
      '/v1/developers/me answered 403 forbidden: Not yours.',
    ],
    [502, '<html>', '/v1/developers/me answered 502: "<html>"'],
  ])('that refuses, here with %i, is an error in its own words', async (status, body, message) => {
    await expect(unwrap(call(status, body))).rejects.toThrow(new HubError(message))
    await expect(unwrapIfFound(call(status, body))).rejects.toThrow(new HubError(message))
  })

  test('404 is null where nothing may be there', async () => {
    const body = '{"error":"not_found","message":"No."}'
    expect(await unwrapIfFound(call(404, body))).toBe(null)
    await expect(unwrap(call(404, body))).rejects.toThrow('answered 404 not_found')
  })
})
