import { afterEach, expect, test, vi } from 'vitest'
import { signIn } from '../../test/callers.ts'
import { bodyOf } from '../../test/client.ts'
import { runSql } from '../../test/tables.ts'
import { streamOf } from './stream.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a stream that catches up over rows of others reads once a second', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  let asked = 0
  const next = { row: 1, offset: 0 }
  const { body } = await streamOf(
    { events: [], next, archivedBefore: null },
    {
      cursorOf: () => 'x',
      view: ({ event }) => event,
      follow: async (from) => {
        asked += 1
        return { events: [], next: { ...from, row: from.row + 500 } }
      },
    },
  )
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await reader.read()
  expect(asked).toBe(2)
  const third = reader.read()
  await vi.advanceTimersByTimeAsync(999)
  expect(asked).toBe(2)
  await vi.advanceTimersByTimeAsync(1)
  await third
  expect(asked).toBe(3)
  await reader.cancel()
})

test('a stream of a wallet that signed out meanwhile ends before the next event', async () => {
  const { client: owner, address } = await signIn()
  const tell = () =>
    runSql("INSERT INTO new_events (type, created_at, address) VALUES ('device.bound', 1, ?)", address)
  const { next_cursor } = await bodyOf<{ next_cursor: string }>(owner.get('/v1/me/events'))
  const path = `/v1/me/events?after=${encodeURIComponent(next_cursor)}`
  const { body } = await owner.get(path, { Accept: 'text/event-stream' })
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  const readEvent = async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done || value.includes('device.bound')) return value ?? 'the end'
    }
  }
  await tell()
  expect(await readEvent()).toContain('device.bound')
  expect((await owner.post('/v1/auth/logout')).status).toBeLessThan(300)
  await tell()
  expect(await readEvent()).toBe('the end')
})
