import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hub } from '../localnet/hub.ts'
import { pickPort } from '../localnet/port.ts'
import { OtherVersionError } from '../scripts/wrangler-hub.ts'
import { queryThrough } from '../testing/driver.ts'
import { startTestHub } from '../testing/hub.ts'
import { temporaryFolder } from '../testing/node/folders.ts'

let hub: Hub

beforeAll(async () => {
  hub = await startTestHub({}, { isolates: 2 })
})

afterAll(() => hub.stop())

const pathOf = (url: URL) => new URL('/v1/network/params', url)

describe('two isolates', () => {
  test('together never answer more requests than the limit, and neither reports a growing remainder', async () => {
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

test('the first answer on the port of a hub is correct, because the hub migrates its database first', async () => {
  const port = await pickPort()
  const starting = startTestHub({}, { port })
  const answer = await firstAnswer(`http://127.0.0.1:${port}/v1/projects`)
  const started = await starting
  expect([answer.status, await answer.json()]).toEqual([200, { items: [], next_cursor: null }])
  await started.stop()
})

/** Asks until a connection is taken. */
async function firstAnswer(url: string): Promise<Response> {
  let answer: Response | null = null
  const ask = async () => {
    answer ??= await fetch(url).catch(nullIfRefused)
    return answer
  }
  await expect.poll(ask, { interval: 10, timeout: 60_000 }).not.toBe(null)
  return answer!
}

function nullIfRefused(error: Error): null {
  if ((error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return null
  throw error
}

test('on a public network, a caller cannot choose its client address', async () => {
  const network = await startTestHub({}, { callersNameAddress: false })
  try {
    const ask = async (address: string) => {
      const response = await fetch(new URL('/v1/network/params', network.urls[0]), {
        headers: { 'CF-Connecting-IP': address },
      })
      await response.arrayBuffer()
      return Number(response.headers.get('ratelimit-remaining'))
    }
    expect([await ask('203.0.113.1'), await ask('203.0.113.2'), await ask('2001:db8::1')]).toEqual([
      599, 598, 597,
    ])
  } finally {
    await network.stop()
  }
})

test('a database that another version of the hub wrote is refused, and stays as it is', async () => {
  const statePath = temporaryFolder()
  const first = await startTestHub({}, { statePath })
  const driver = await first.miniflare.unsafeGetDirectURL('driver')
  await queryThrough(driver, "UPDATE d1_migrations SET name = '0001_everything.sql' WHERE id = 1", [])
  await first.stop()
  const refused = startTestHub({}, { statePath })
  await expect(refused).rejects.toThrow(OtherVersionError)
  await expect(refused).rejects.toThrow('such as 0001_everything.sql')
})
