import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { bodyOf, client } from './client.ts'
import { requireDocumented } from './conformance.ts'

const answered = async (change: (body: Record<string, unknown>) => unknown, status = 200) => {
  const real = await client().get('/v1/network/params')
  const body = await bodyOf(real.clone())
  const headers = Object.fromEntries(real.headers)
  const response = Response.json(change(body), { status, headers })
  return requireDocumented(env, { method: 'GET', path: '/v1/network/params', response })
}

test('accepts an answer that matches the document', async () => {
  await answered((body) => body)
})

test.each([
  ['an additional member', (body: object) => ({ ...body, extra: 1 }), 200, /extra/],
  ['a member of another type', (body: object) => ({ ...body, params_hash: 1 }), 200, /params_hash/],
  ['a status that the document does not list', (body: object) => body, 418, /answered 418/],
  [
    'a code that the document does not list',
    () => ({ error: 'faucet_empty', message: '', request_id: crypto.randomUUID() }),
    503,
    /the code faucet_empty/,
  ],
] as const)('refuses %s', async (_, change, status, message) => {
  await expect(answered(change as never, status)).rejects.toThrow(message)
})

test('refuses an accepted request that contradicts the document', async () => {
  const response = await client().post('/v1/auth/nonce', {
    address: `0x${'1'.repeat(40)}`,
    domain: 'localhost:8787',
  })
  const exchange = { method: 'POST', path: '/v1/auth/nonce', response }
  await expect(requireDocumented(env, { ...exchange, json: { address: '0x1' } })).rejects.toThrow(/accepted/)
})
