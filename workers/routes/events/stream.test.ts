import { afterEach, describe, expect, test, vi } from 'vitest'
import { signIn } from '../../test/callers.ts'
import { bodyOf, client } from '../../test/client.ts'
import { runSql } from '../../test/tables.ts'
import { streamOf } from './stream.ts'
import { type Event, from, read, tell, typesOf } from './testing/feed.ts'

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

describe('a stream', () => {
  interface Stream {
    /** The next `count` events with their ids. */
    take: (count: number) => Promise<{ id: string; event: Event }[]>
    end: () => Promise<void>
  }

  async function open(path: string, headers: Record<string, string> = {}, by = client()): Promise<Stream> {
    const response = await by.get(path, { Accept: 'text/event-stream', ...headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    const decoder = new TextDecoder()
    return {
      async take(count) {
        const taken: { id: string; event: Event }[] = []
        while (taken.length < count) {
          const end = text.indexOf('\n\n')
          if (end >= 0) {
            const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(text.slice(0, end)) ?? []
            if (id !== undefined && data !== undefined) taken.push({ id, event: JSON.parse(data) })
            text = text.slice(end + 2)
          } else {
            const { value, done } = await reader.read()
            if (done) throw new Error('the stream has ended')
            text += decoder.decode(value)
          }
        }
        return taken
      },
      end: () => reader.cancel(),
    }
  }

  test('sends events as they occur, and continues after the last one that a client received', async () => {
    const stream = await open(`/v1/events?${from(await read('/v1/events'))}`)
    for (const type of ['project.listed', 'project.paused']) await tell(type)
    const [first] = await stream.take(2)
    await stream.end()
    await tell('project.delisted')
    for (const id of [first?.id, first?.event.id]) {
      const next = await open('/v1/events', { 'Last-Event-ID': id ?? '' })
      expect((await next.take(2)).map(({ event }) => event.type)).toEqual([
        'project.paused',
        'project.delisted',
      ])
      await next.end()
    }
  })

  test('that is read slowly gets every event, and does not delay others', async () => {
    const slow = await open(`/v1/events?${from(await read('/v1/events'))}`)
    await slow.take(0)
    for (let told = 0; told < 120; told++) await tell('project.listed')
    const start = await read('/v1/events')
    const fast = read(`/v1/events?wait=30&${from(start)}`)
    await tell('project.paused')
    expect(typesOf(await fast)).toEqual(['project.paused'])
    const taken = await slow.take(121)
    expect(new Set(taken.map(({ event }) => event.id)).size).toBe(121)
    await slow.end()
  })

  test('that is interrupted at any event gets every event once and in order', async () => {
    const owner = await signIn()
    const got: number[] = []
    let last = (await read('/v1/me/events', owner.client)).next_cursor
    let told = 0
    for (const cut of [3, 1, 7, 2, 5]) {
      for (let more = 0; more < cut + 1; more++) {
        told += 1
        await runSql(
          "INSERT INTO new_events (type, created_at, address) VALUES ('device.bound', ?, ?)",
          told,
          owner.address,
        )
      }
      const stream = await open('/v1/me/events?limit=3', { 'Last-Event-ID': last }, owner.client)
      for (const { id, event } of await stream.take(cut)) {
        got.push(event.created_at)
        last = id
      }
      await stream.end()
    }
    const rest = await read(`/v1/me/events?after=${encodeURIComponent(last)}`, owner.client)
    got.push(...rest.items.map(({ created_at }) => created_at))
    expect(got).toEqual(Array.from({ length: told }, (_, index) => index + 1))
  })

  test('HEAD opens no stream', async () => {
    const response = await client().fetch('/v1/events', {
      method: 'HEAD',
      headers: { Accept: 'text/event-stream' },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
  })
})
