import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import known from '../../protocol/vectors/request-signing.json'
import { services } from '../services.ts'
import { insertNode } from '../test/callers.ts'
import { client, errorOf } from '../test/client.ts'
import { knownAnswers } from '../test/known-answers.ts'
import { emptyTables } from '../test/tables.ts'

const received = knownAnswers(known).filter(({ input }) => input.request !== undefined)

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await emptyTables('node_request_nonces', 'nodes')
})
afterEach(() => vi.useRealTimers())

describe('a signed request', () => {
  test.each(received)('$name', async ({ input: { request, headers, seen_nonces, now }, output }) => {
    vi.setSystemTime(now * 1000)
    for (const { public_key, nonce } of seen_nonces)
      await services(env).nodeRequestNonces.spend(
        { publicKey: public_key, nonce, expiresAt: now + 600 },
        'any_key',
      )
    const sent = new Headers(headers)
    const [nodeId, publicKey] = [sent.get('X-Hub-Node'), sent.get('X-Hub-Public-Key')]
    if (nodeId !== null && publicKey !== null) await insertNode({ nodeId, publicKey })
    const { method, path, body } = request
    const answer = await errorOf(client().fetch(path, { method, headers, body }))
    if (output.error !== undefined) return expect(answer).toMatchObject({ status: 401, error: output.error })
    // Past its credential a request of these cases is refused for its body, or finds nothing at its path.
    expect(['bad_request', 'not_found']).toContain(answer.error)
  })
})
