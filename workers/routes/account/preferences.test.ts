import { describe, expect, test } from 'vitest'
import { signIn } from '../../test/callers.ts'
import { bodyOf } from '../../test/client.ts'

const hash = `0x${'ab'.repeat(32)}`
const empty = {
  watchlist: [],
  recent_searches: [],
  saved_addresses: [],
  earnings_goal: null,
  notifications: {},
  display_name: null,
}

const session = async () => {
  const { client: caller, address } = await signIn()
  const put = (json: unknown) => caller.put('/v1/me/preferences', json)
  return { address, put, get: () => caller.get('/v1/me/preferences') }
}

describe('GET and PUT /v1/me/preferences', () => {
  test('PUT replaces the whole object', async () => {
    const { put, get, address } = await session()
    const full = {
      watchlist: [hash],
      recent_searches: ['render farm'],
      saved_addresses: [{ address, label: 'me' }],
      earnings_goal: { token: 'HUB', amount: '5', period: 'day' },
      notifications: { payouts: true },
      display_name: 'Ada',
    }
    expect(await bodyOf(put(full))).toEqual(full)
    expect(await bodyOf(get())).toEqual(full)
    expect(await bodyOf(put({ display_name: 'Bob' }))).toEqual({ ...empty, display_name: 'Bob' })
    expect(await bodyOf(get())).toEqual({ ...empty, display_name: 'Bob' })
  })

  test('belong to their wallet alone', async () => {
    const [ada, bob] = [await session(), await session()]
    await ada.put({ display_name: 'Ada' })
    expect(await bodyOf(bob.get())).toEqual(empty)
  })

  test('a name of 32 characters may be emoji', async () => {
    const { put } = await session()
    expect((await put({ display_name: '🙂'.repeat(32) })).status).toBe(200)
  })
})
