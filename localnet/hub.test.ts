import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hub } from './hub.ts'
import { startTestHub } from './testing/hub.ts'

let hub: Hub

beforeAll(async () => {
  hub = await startTestHub({}, { isolates: 2 })
})

afterAll(() => hub.stop())

const pathOf = (url: URL) => new URL('/v1/network/params', url)

describe('two isolates', () => {
  test('together never answer more than the limit, and neither ever says that more is left than before', async () => {
    const headers = { 'CF-Connecting-IP': '203.0.113.77' }
    // Each connection sees the numbers of its isolate in order.
    const ask = async (url: URL) => {
      const answers: { status: number; remaining: number }[] = []
      // Until the first refusal: by then neither the isolate nor the limiter has a token left.
      while (answers.at(-1)?.status !== 429) {
        const response = await fetch(pathOf(url), { headers })
        await response.arrayBuffer()
        answers.push({
          status: response.status,
          remaining: Number(response.headers.get('ratelimit-remaining')),
        })
      }
      return answers
    }
    const clients = hub.urls.flatMap((url) => [url, url, url, url])
    const runs = await Promise.all(clients.map(ask))
    expect(runs.flat().filter(({ status }) => status === 200)).toHaveLength(600)
    for (const run of runs) {
      const remaining = run.map((answer) => answer.remaining)
      expect(remaining).toEqual([...remaining].sort((a, b) => b - a))
    }
  })
})
