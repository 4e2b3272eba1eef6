import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { runSchedule as runScheduleOf } from './schedule.ts'
import { signIn } from './test/callers.ts'
import { client, expectRefusal, runSchedule } from './test/client.ts'
import { failingDatabase } from './test/failing-database.ts'

const never = () => new Promise(() => {})
const silentStatement = { bind: () => silentStatement, all: never, raw: never, run: never, first: never }

const unavailable = async (response: Response) => {
  const text = await response.clone().text()
  await expectRefusal(response, '503 unavailable')
  expect(response.headers.get('retry-after')).toBe('2')
  expect(text).not.toMatch(/D1_ERROR|select |insert |\.ts:/i)
}

describe('a body that breaks off', () => {
  test('is 400 bad_request', async () => {
    const body = new ReadableStream({
      type: 'bytes',
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"address":'))
      },
      pull(controller) {
        controller.error(new Error('the client is gone'))
      },
    })
    const headers = { 'Content-Type': 'application/json' }
    const response = await client().fetch('/v1/auth/nonce', { method: 'POST', headers, body })
    await expectRefusal(response, '400 bad_request')
  })
})

describe('a database that does not answer', () => {
  test('is 503 unavailable with Retry-After, and shows no SQL, on reads and writes', async () => {
    const caller = client({ bindings: { DB: failingDatabase(() => true) } })
    await unavailable(await caller.get('/v1/validators'))
    await unavailable(await caller.get('/v1/modules'))
    await unavailable(
      await caller.post('/v1/auth/nonce', { address: `0x${'1'.repeat(40)}`, domain: 'localhost:8787' }),
    )
  })

  test('is 503 also if it never answers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const session = { prepare: () => silentStatement, getBookmark: () => null }
      const silent = { withSession: () => session } as unknown as D1Database
      const answer = client({ bindings: { DB: silent } }).get('/v1/validators')
      await vi.waitUntil(() => vi.getTimerCount() > 0)
      await vi.advanceTimersByTimeAsync(10_000)
      await unavailable(await answer)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a read that fails once still succeeds', async () => {
    const caller = client({ bindings: { DB: failingDatabase((_, statement) => statement === 1) } })
    expect((await caller.get('/v1/validators')).status).toBe(200)
  })

  test('a credential that cannot be looked up is 503, not 401', async () => {
    const { token } = await signIn()
    await unavailable(
      await client({ token, bindings: { DB: failingDatabase(() => true) } }).get('/v1/auth/session'),
    )
  })
})

describe('a database without its latest migration', () => {
  test('is 500 internal, because a retry does not help', async () => {
    const DB = failingDatabase(() => true, { reason: 'no such table: nodes: SQLITE_ERROR' })
    const response = await client({ bindings: { DB } }).get('/v1/validators')
    await expectRefusal(response, '500 internal')
  })
})

test('a statement that is too large for the database is 500 internal, because a retry does not help', async () => {
  const DB = failingDatabase(() => true, { reason: 'string or blob too big: SQLITE_TOOBIG' })
  await expectRefusal(await client({ bindings: { DB } }).get('/v1/validators'), '500 internal')
})

describe('a hub with wrong settings', () => {
  test('answers 503 unavailable with the names of the settings, no values, and a request id', async () => {
    const response = await client({ bindings: { BASE_URL: 'nonsense' } }).get('/v1/status')
    const error = await expectRefusal(response, '503 unavailable')
    expect(error.message).toMatch(/BASE_URL: /)
    expect(error.message).not.toMatch(/nonsense/)
    expect(error.request_id).toBe(response.headers.get('x-request-id'))
  })

  test('logs the path of a request on one line, whatever the path encodes', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    await client({ bindings: { BASE_URL: 'nonsense' } }).get('/v1/status%0Aforged')
    const lines = logged.mock.calls.map(([line]) => line)
    logged.mockRestore()
    expect(lines).toEqual([expect.stringMatching(/^\S+ GET \/v1\/status%0Aforged$/)])
  })
})

describe('the scheduled clean-up', () => {
  test('removes what has expired and keeps the rest', async () => {
    const { token, client: caller } = await signIn()
    await env.DB.batch([
      env.DB.prepare("INSERT INTO siwe_nonces VALUES ('old', '0x', 'd', 'm', 1, 2, NULL)"),
      env.DB.prepare("INSERT INTO node_request_nonces VALUES ('0x', 'old', 2)"),
      env.DB.prepare(
        "INSERT INTO idempotency_keys VALUES ('0x', 'old', 'h', 'o', 'r', 1, NULL, NULL, NULL, 2)",
      ),
      env.DB.prepare("INSERT INTO sessions VALUES ('old', '0x', 1, 2, NULL)"),
    ])
    await runSchedule()
    for (const table of ['siwe_nonces', 'node_request_nonces', 'idempotency_keys', 'sessions']) {
      const rows = await env.DB.prepare(`SELECT * FROM ${table}`).all()
      expect(JSON.stringify(rows.results), table).not.toContain('"old"')
    }
    expect(token).toBeTruthy()
    expect((await caller.get('/v1/auth/session')).status).toBe(200)
  })

  test.each([
    ['the versions that take effect', /from "project_versions".*"effective_at"/],
    ['the figures of projects', /update "projects" set "trending_score"/],
  ])('is done although %s fail', async (_, failing) => {
    let fails = 0
    const DB = failingDatabase((statement) => {
      const isFailing = failing.test(statement)
      fails += Number(isFailing)
      return isFailing
    })
    await env.DB.exec("INSERT INTO sessions VALUES ('older', '0x', 1, 2, NULL)")
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    await runScheduleOf({ ...env, DB }).finally(() => logged.mockRestore())
    expect(fails).toBeGreaterThan(0)
    const { results } = await env.DB.prepare("SELECT * FROM sessions WHERE token_hash = 'older'").all()
    expect(results).toEqual([])
  })
})
