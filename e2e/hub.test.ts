import { once } from 'node:events'
import { connect } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { pickPort } from '../localnet/port.ts'
import { databaseFile, migrateDatabase, OtherVersionError } from '../scripts/wrangler-hub.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { temporaryFolder } from '../testing/node/folders.ts'

let hub: TestHub
/** How it answered as soon as somebody answered at its port. */
let first: { readonly status: number; readonly body: unknown }
/** A hub whose callers cannot say which address they have. */
let publicHub: TestHub

beforeAll(async () => {
  const port = await pickPort()
  const starting = startTestHub({}, { port, isolates: 2 })
  const answer = await firstAnswer(`http://127.0.0.1:${port}/v1/projects`)
  first = { status: answer.status, body: await answer.json() }
  hub = await starting
  publicHub = await startTestHub({}, { callersNameAddress: false })
})

afterAll(async () => {
  await hub?.stop()
  await publicHub?.stop()
})

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

describe('a hub that starts', () => {
  test('answers correctly from its first answer on, because it migrates its database first', () => {
    expect(first).toEqual({ status: 200, body: { items: [], next_cursor: null } })
  })

  test('refuses a database that another version of it wrote, which stays as it is', async () => {
    const statePath = temporaryFolder()
    await migrateDatabase(statePath)
    const database = new DatabaseSync(databaseFile(statePath)!)
    database.exec("UPDATE d1_migrations SET name = '0001_everything.sql' WHERE id = 1")
    const migrations = () => database.prepare('SELECT * FROM d1_migrations').all()
    const before = migrations()
    const refused = startTestHub({}, { statePath })
    await expect(refused).rejects.toThrow(OtherVersionError)
    await expect(refused).rejects.toThrow('such as 0001_everything.sql')
    expect(migrations()).toEqual(before)
    database.close()
  })
})

/** Asks until a connection is taken. */
const firstAnswer = (url: string): Promise<Response> =>
  vi.waitUntil(() => fetch(url).catch(nullIfRefused), { interval: 10 })

function nullIfRefused(error: Error): null {
  if ((error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return null
  throw error
}

test('on a public network, a caller cannot choose its client address', async () => {
  const ask = async (address: string) => {
    const response = await fetch(pathOf(publicHub.urls[0]!), { headers: { 'CF-Connecting-IP': address } })
    await response.arrayBuffer()
    return Number(response.headers.get('ratelimit-remaining'))
  }
  expect([await ask('203.0.113.1'), await ask('203.0.113.2'), await ask('2001:db8::1')]).toEqual([
    599, 598, 597,
  ])
})

describe.each([
  ['a hub', () => hub],
  ['a public network', () => publicHub],
])('%s', (_, asked) => {
  const ask = async (host: string) => {
    const socket = connect(Number(new URL(asked().origin).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET /v1/modules?limit=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return text(socket)
  }

  test.each(['a b', '[::1', 'x:99999', '<script>', '%'])(
    '400 bad_request if the Host header is not a host: %s',
    async (host) => {
      const answer = await ask(host)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('"error":"bad_request"')
      expect(answer).toContain('The Host header is not a host name')
    },
  )

  test('any host name is accepted', async () => {
    expect(await ask('hub.example')).toMatch(/^HTTP\/1\.1 200 /)
  })
})
