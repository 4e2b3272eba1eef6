import { env } from 'cloudflare:workers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { signIn } from '../test/callers.ts'
import { client, expectRefusal, freshAddress } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'

const report = (response: Response) => ({
  status: response.status,
  remaining: Number(response.headers.get('ratelimit-remaining')),
})

/** Takes tokens of a budget, as other isolates would; all of them unless the limit is said. */
const useUp = (name: string, subject: string, tokens: number, limit = tokens, windowSeconds = 60) =>
  env.RATE_LIMITER.getByName(`${name}:${subject}`).take({ limit, windowSeconds, tokens })

/** A wallet that calls from an address of its own. */
async function freshCaller() {
  const address = freshAddress()
  const wallet = await signIn()
  return { address, wallet, caller: client({ address, token: wallet.token }) }
}

const draft = { data: { note: 'x'.repeat(80 * 1024) } }
const fileDay = 1024 * 1024
const recordDay = 64 * 1024

describe('rate limits', () => {
  test('of 1,000 parallel anonymous requests, exactly as many as the limit succeed', async () => {
    const { get } = client({ address: freshAddress() })
    const answers = (await Promise.all(Array.from({ length: 1000 }, () => get('/v1/network/params')))).map(
      report,
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(400)
  })

  test('the remaining requests never rise within a window, and every 429 says how long to wait', async () => {
    // All calls are in one window.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { get } = client({ bindings: { RATE_LIMIT_MULTIPLIER: '1' } })
    const remaining: number[] = []
    let refused: Response | undefined
    while (refused === undefined) {
      const response = await get('/v1/network/params')
      remaining.push(report(response).remaining)
      if (response.status === 429) refused = response
    }
    expect(remaining).toEqual([...remaining].sort((a, b) => b - a))
    expect(remaining).toHaveLength(601)
    await expectRefusal(refused, '429 rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'))
  })

  test('all spellings of one address share a budget; a /64 is one client', async () => {
    const host = freshAddress()
    const remaining = async (address: string) =>
      report(await client({ address }).get('/v1/network/params')).remaining
    expect(await remaining(host)).toBe(599)
    expect(await remaining(`::ffff:${host}`)).toBe(598)
    expect(await remaining('2001:db8:77:1::1')).toBe(599)
    expect(await remaining('2001:db8:77:1:ffff::2')).toBe(598)
    expect(await remaining('2001:db8:77:2::1')).toBe(599)
  })

  test('a session has its own budget, independent of the address', async () => {
    const { address, caller } = await freshCaller()
    await client({ address }).get('/v1/status')
    const response = await caller.get('/v1/status')
    expect([response.headers.get('ratelimit-limit'), response.headers.get('ratelimit-remaining')]).toEqual([
      '1200',
      '1199',
    ])
  })

  test('sign-in has a budget of 30 a minute per address, which its answers report', async () => {
    const { post } = client({ address: freshAddress() })
    const body = { address: `0x${'11'.repeat(20)}`, domain: 'localhost:8787' }
    const statuses = []
    for (let i = 0; i < 31; i++) statuses.push((await post('/v1/auth/nonce', body)).status)
    expect(statuses).toEqual([...Array(30).fill(200), 429])
    const response = await post('/v1/auth/siwe', { message: '', signature: '' })
    expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([429, '30'])
  })

  test.each([
    ['malformed', 'guess'],
    ['well-formed', `hubsess_${'S'.repeat(43)}`],
  ])('guessing %s tokens is limited like anonymous calls', async (_, token) => {
    const address = freshAddress()
    const guess = () => client({ address, token }).get('/v1/auth/session')
    expect(report(await guess())).toEqual({ status: 401, remaining: 599 })
    expect(report(await guess())).toEqual({ status: 401, remaining: 598 })
  })

  test('past the limit, a guessed token costs no statement and does not block known callers', async () => {
    const address = freshAddress()
    const { db, use } = countedDatabase()
    const { token } = await signIn()
    expect((await client({ token }).get('/v1/auth/session')).status).toBe(200)
    const known = client({ address, token })
    await useUp('unproven', address, 600)

    const guess = client({ address, token: `hubsess_${'S'.repeat(43)}`, bindings: { DB: db } })
    await expectRefusal(guess.get('/v1/auth/session'), '429 rate_limited')
    expect(use.statements).toBe(0)
    expect((await known.get('/v1/auth/session')).status).toBe(200)
    expect((await client({ address }).get('/v1/status')).status).toBe(200)
  })

  test('a session past its limit queries the database only as often as a guessed token may', async () => {
    const address = freshAddress()
    const { db, use } = countedDatabase()
    const { token, address: wallet } = await signIn()
    await useUp('session', wallet, 1200)
    await useUp('unproven', address, 599, 600)
    const caller = client({ address, token, bindings: { DB: db } })
    for (let i = 0; i < 3; i++) expect((await caller.get('/v1/auth/session')).status).toBe(429)
    expect(use.statements).toBe(1)
  })

  test.each([
    ['session', 6000, '/v1/status'],
    ['asset_upload', 600, '/v1/developers/assets'],
    ['module_upload', 300, '/v1/modules'],
    ['faucet', 20, '/v1/faucet/drip'],
  ] as const)('all wallets of one address share the %s budget', async (name, limit, path) => {
    const address = freshAddress()
    await useUp(name, address, limit - 2, limit)
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const { token } = await signIn()
      const caller = client({ address, token })
      const answer = await (name === 'session' ? caller.get(path) : caller.post(path, {}))
      statuses.push(answer.status)
      if (answer.status === 429) expect(answer.headers.get('ratelimit-limit')).toBe(String(limit))
    }
    expect(statuses.map((status) => status === 429)).toEqual([false, false, true, true])
  })

  test('RATE_LIMIT_MULTIPLIER also scales the budget that callers of one address share', async () => {
    const address = freshAddress()
    const { token } = await signIn()
    await useUp('session', address, 11_999, 12_000)
    const caller = client({ address, token, bindings: { RATE_LIMIT_MULTIPLIER: '2' } })
    expect((await caller.get('/v1/status')).status).toBe(200)
    const refused = await caller.get('/v1/status')
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '12000'])
  })

  test('a caller past its own limit does not use up the budget of its address', async () => {
    const { address, wallet, caller } = await freshCaller()
    await useUp('session', wallet.address, 1200)
    for (let i = 0; i < 3; i++) expect((await caller.get('/v1/status')).status).toBe(429)
    const allowance = await env.RATE_LIMITER.getByName(`session:${address}`).take({
      limit: 6000,
      windowSeconds: 60,
      tokens: 6000,
    })
    expect(allowance.granted).toBeGreaterThanOrEqual(5950)
  })

  test('the daily storage of one address is limited, and the refusal says when to retry', async () => {
    const { address, caller } = await freshCaller()
    await useUp('stored_records', address, recordDay - 100, recordDay, 86_400)
    expect((await caller.post('/v1/developers/me/drafts', draft)).status).toBe(201)
    const refused = await caller.post('/v1/developers/me/drafts', draft)
    await expectRefusal(refused, '429 rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    // A body that is smaller than the rest of the budget is accepted.
    expect((await caller.put('/v1/me/preferences', {})).status).toBe(200)
    expect((await caller.get('/v1/developers/me/drafts')).status).toBe(200)
  })

  test('all sessions of a wallet share its part of the daily storage of the address', async () => {
    const { address, wallet } = await freshCaller()
    await useUp('stored_records', wallet.address, 16 * 1024 - 100, 16 * 1024, 86_400)
    const post = (token: string) => client({ address, token }).post('/v1/developers/me/drafts', draft)
    expect((await post(wallet.token)).status).toBe(201)
    const { token: other } = await signIn(wallet)
    await expectRefusal(post(other), '429 rate_limited')
    const { token: neighbour } = await signIn()
    expect((await post(neighbour)).status).toBe(201)
  })

  test('a refused request does not count against the daily storage', async () => {
    const { address, caller } = await freshCaller()
    await useUp('stored_records', address, recordDay - 100, recordDay, 86_400)
    const put = { method: 'PUT', headers: { 'If-Match': '"1"' }, json: draft }
    const replace = () => caller.fetch('/v1/developers/me/drafts/mine', put)
    for (let i = 0; i < 3; i++) await expectRefusal(replace(), '409 conflict')
    expect((await caller.post('/v1/developers/me/drafts', draft)).status).toBe(201)
    expect((await caller.post('/v1/developers/me/drafts', draft)).status).toBe(429)
  })

  test('files count by size against a separate budget', async () => {
    const { address, caller } = await freshCaller()
    await useUp('stored_files', address, fileDay, fileDay, 86_400)
    const answer = await caller.post('/v1/modules', { hbc_b64: 'AAAA' })
    await expectRefusal(answer, '429 rate_limited')
  })

  test('an upload that is decoded while it arrives counts by the bytes received', async () => {
    const { address, caller } = await freshCaller()
    await useUp('stored_files', address, fileDay - 100, fileDay, 86_400)
    const large = await caller.post('/v1/modules', { hbc_b64: 'A'.repeat(200 * 1024) })
    await expectRefusal(large, '429 rate_limited')
    const small = await caller.post('/v1/modules', { hbc_b64: 'A'.repeat(20 * 1024) })
    await expectRefusal(small, '400 invalid_field')
  })

  test('503 unavailable while the rate limiter does not answer', async () => {
    const broken = { getByName: () => ({ take: () => Promise.reject(new Error('overloaded')) }) } as never
    const response = await client({ bindings: { RATE_LIMITER: broken } }).get('/v1/network/params')
    await expectRefusal(response, '503 unavailable')
    expect(response.headers.get('retry-after')).toBe('2')
    expect(response.headers.get('ratelimit-remaining')).toBe('0')
  })
})
