import { expect, test } from 'vitest'
import { signIn } from '../test/callers.ts'
import { bodyOf, client, freshAddress } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'

const guessed = () => `hubsess_${'S'.repeat(43)}`

test('a guessed token costs the check and nothing of the handler', async () => {
  const { db, use } = countedDatabase()
  const caller = client({ token: guessed(), bindings: { DB: db } })
  for (const path of ['/v1/projects', '/v1/me/subscriptions', '/admin/v1/audit-log'])
    expect((await caller.get(path)).status).toBe(401)
  expect(use).toMatchObject({ roundTrips: 3, statements: 3 })
})

test('a known caller is refused as any other once its session is revoked, and costs no more then', async () => {
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

test('a handler that asks who calls before it reads begins again', async () => {
  const { client: caller } = await signIn()
  for (let i = 0; i < 2; i++) expect((await caller.get('/v1/projects?q=!!!')).status).toBe(200)
})

test('a caller who is refused leaves no word about the health of the hub', async () => {
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
