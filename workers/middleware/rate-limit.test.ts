import { describe, expect, test } from 'vitest'
import { client, errorOf, freshAddress } from '../test/client.ts'
import { signIn } from '../test/wallet.ts'

const report = (response: Response) => ({
  status: response.status,
  remaining: Number(response.headers.get('ratelimit-remaining')),
})

describe('rate limits', () => {
  test('of 1,000 parallel anonymous requests exactly the limit is answered', async () => {
    const { get } = client()
    const answers = (await Promise.all(Array.from({ length: 1000 }, () => get('/v1/network/params')))).map(
      report,
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(400)
  })

  test('what remains never rises within a window, and every 429 says how long to wait', async () => {
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
    expect(await errorOf(refused)).toMatchObject({ status: 429, error: 'rate_limited' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'))
  })

  test('one address is counted once, however it is written; a /64 is one client', async () => {
    const host = freshAddress()
    const remaining = async (address: string) =>
      report(await client({ address }).get('/v1/network/params')).remaining
    expect(await remaining(host)).toBe(599)
    expect(await remaining(`::ffff:${host}`)).toBe(598)
    expect(await remaining('2001:db8:77:1::1')).toBe(599)
    expect(await remaining('2001:db8:77:1:ffff::2')).toBe(598)
    expect(await remaining('2001:db8:77:2::1')).toBe(599)
  })

  test('a session has its own budget, whatever its address', async () => {
    const address = freshAddress()
    const { token } = await signIn()
    await client({ address }).get('/v1/status')
    const response = await client({ address, token }).get('/v1/status')
    expect([response.headers.get('ratelimit-limit'), response.headers.get('ratelimit-remaining')]).toEqual([
      '1200',
      '1199',
    ])
  })

  test('sign-in has a budget of 30 a minute per address, which is then the one reported', async () => {
    const { post } = client()
    const body = { address: `0x${'11'.repeat(20)}`, domain: 'localhost:8787' }
    const statuses = []
    for (let i = 0; i < 31; i++) statuses.push((await post('/v1/auth/nonce', body)).status)
    expect(statuses).toEqual([...Array(30).fill(200), 429])
    const response = await post('/v1/auth/siwe', { message: '', signature: '' })
    expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([429, '30'])
  })

  test('guessing tokens is limited like any anonymous call', async () => {
    const address = freshAddress()
    const guess = () => client({ address, token: 'guess' }).get('/v1/auth/session')
    expect(report(await guess())).toEqual({ status: 401, remaining: 599 })
    expect(report(await guess())).toEqual({ status: 401, remaining: 598 })
  })

  test('503 unavailable while the rate limiter does not answer', async () => {
    const broken = {
      getByName: () => ({ lease: () => Promise.reject(new Error('overloaded')) }),
    } as never
    const response = await client({ bindings: { RATE_LIMITER: broken } }).get('/v1/network/params')
    expect(await errorOf(response)).toMatchObject({ status: 503, error: 'unavailable' })
    expect(response.headers.get('retry-after')).toBe('2')
    expect(response.headers.get('ratelimit-remaining')).toBe('0')
  })
})
