import { expect, test } from 'vitest'
import { client, itemsOf } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { runSql } from '../../test/tables.ts'
import { signIn } from '../../test/wallet.ts'

/** Keys of a wallet that are over: every other one revoked, the rest expired. */
const leaveKeys = (owner: string, count: number) =>
  runSql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO api_keys (key_id, owner, name, secret_hash, scopes, created_at, expires_at, revoked_at)
    SELECT printf('%08d', i), ?1, 'over', '', '[]', i, iif(i % 2, NULL, 1), iif(i % 2, 1, NULL) FROM n`,
    owner,
    count,
  )

test('keys that are over cost nothing when one is created, and revoked ones nothing when they are listed', async () => {
  const { address, client: owner, token } = await signIn()
  const enrollment = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }
  await owner.post('/v1/developers/me/enrollment', enrollment)
  await runSql("UPDATE developers SET enrollment = 'active' WHERE address = ?", address)
  await leaveKeys(address, 1000)
  const { db, use } = countedDatabase()
  const caller = client({ token, bindings: { DB: db } })
  const key = { name: 'Fresh', scopes: ['modules:write'] }
  for (let i = 0; i < 3; i++) expect((await caller.post('/v1/developers/api-keys', key)).status).toBe(201)
  expect(use.rowsRead).toBeLessThan(40)

  const before = use.rowsRead
  const page = await itemsOf(caller.get('/v1/developers/api-keys?limit=5'))
  expect(page.map(({ name }) => name)).toEqual(['Fresh', 'Fresh', 'Fresh', 'over', 'over'])
  expect(use.rowsRead - before).toBeLessThan(15)
})
