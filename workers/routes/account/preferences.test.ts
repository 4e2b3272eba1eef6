import { describe, expect, test } from 'vitest'
import { signIn } from '../../test/callers.ts'
import { bodyOf, expectInvalid } from '../../test/client.ts'

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
  test('are empty before the first PUT', async () => {
    const { get } = await session()
    expect(await bodyOf(get())).toEqual(empty)
  })

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

  test.each([
    ['an unknown key', { theme: 'dark' }, 'theme'],
    ['201 watched projects', { watchlist: Array(201).fill(hash) }, 'watchlist'],
    ['something watched that is no project id', { watchlist: ['0x12'] }, 'watchlist[0]'],
    ['21 searches', { recent_searches: Array(21).fill('x') }, 'recent_searches'],
    ['a search of 101 characters', { recent_searches: ['x'.repeat(101)] }, 'recent_searches[0]'],
    [
      'an unknown key inside',
      { saved_addresses: [{ address: `0x${'1'.repeat(40)}`, label: '', note: '' }] },
      'saved_addresses[0].note',
    ],
    [
      'another period',
      { earnings_goal: { token: 'HUB', amount: '1', period: 'year' } },
      'earnings_goal.period',
    ],
    [
      'an amount with a leading zero',
      { earnings_goal: { token: 'HUB', amount: '01', period: 'day' } },
      'earnings_goal.amount',
    ],
    ['a notification that is no boolean', { notifications: { payouts: 1 } }, 'notifications.payouts'],
    ['notifications that are no map', { notifications: null }, 'notifications'],
    ['a name of 33 characters', { display_name: 'x'.repeat(33) }, 'display_name'],
  ])('400 invalid_field: %s', async (_, value, path) => {
    const { put } = await session()
    await expectInvalid(put(value), path)
  })

  test('a name of 32 characters may be emoji', async () => {
    const { put } = await session()
    expect((await put({ display_name: '🙂'.repeat(32) })).status).toBe(200)
  })
})
