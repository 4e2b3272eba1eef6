import { expect, test } from 'vitest'
import { signIn } from '../test/callers.ts'
import { bodyOf, client, freshAddress } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'

const guessed = () => `hubsess_${'S'.repeat(43)}`

test('a guessed token costs one statement per request, and the handler does not run', async () => {
  const { db, use } = countedDatabase()
  const caller = client({ token: guessed(), bindings: { DB: db } })
  for (const path of ['/v1/projects', '/v1/me/subscriptions', '/admin/v1/audit-log'])
    expect((await caller.get(path)).status).toBe(401)
  expect(use).toMatchObject({ roundTrips: 3, statements: 3 })
})

test('a known caller is refused once its session is revoked, at the cost of one statement', async () => {
  const { token } = await signIn()
  const { db, use } = countedDatabase()
  const caller = client({ token, bindings: { DB: db } })
  expect((await caller.get('/v1/me')).status).toBe(200)
  expect((await caller.post('/v1/auth/logout')).status).toBe(204)
  expect((await caller.get('/v1/me')).status).toBe(401)
  const { statements } = use
  expect((await caller.get('/v1/me')).status).toBe(401)
  expect(use.statements - statements).toBe(1)
})

test('a handler that needs the caller before its first read is started again', async () => {
  const { client: caller } = await signIn()
  for (let i = 0; i < 2; i++) expect((await caller.get('/v1/projects?q=!!!')).status).toBe(200)
})

test('a refused request for the status does not change the reported health', async () => {
  const { token } = await signIn()
  const address = freshAddress()
  const known = client({ token, address })
  await known.get('/v1/status')
  await known.post('/v1/auth/logout')
  for (const caller of [known, client({ token: guessed() })]) {
    const bindings = {}
    expect((await caller.get('/v1/status')).status).toBe(401)
    const report = await bodyOf(client({ bindings }).get('/v1/status'))
    expect(report.database).toBe('ok')
  }
})
