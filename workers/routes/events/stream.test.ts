import { afterEach, expect, test, vi } from 'vitest'
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
