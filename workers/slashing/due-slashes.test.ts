import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { networkNow } from '../test/callers.ts'
import { createAccused, createProposed, createValidators, hubAction } from '../test/evidence.ts'
import { runSql } from '../test/tables.ts'
import { wantDueSlashActions } from './due-slashes.ts'

await createValidators(4)

const day = 86_400
const decide = (hash: string, decision: string) =>
  runSql('UPDATE slashes SET decision = ? WHERE evidence_hash = ?', decision, hash)

test('a slash is executed once its window has passed, unless an operator cancelled it', async () => {
  const executable_at = (await networkNow()) - day
  const due = await createProposed(await createAccused(), { executable_at })
  const cancelled = await createProposed(await createAccused(), { executable_at })
  await decide(cancelled, 'cancel')
  await wantDueSlashActions(env)
  expect(await hubAction('execute_slash', due)).toMatchObject({ state: 'open' })
  expect(await hubAction('execute_slash', cancelled)).toBeNull()
})

test('if a slash was upheld before the index showed its dispute, the hub upholds it once the dispute is indexed', async () => {
  const now = await networkNow()
  const state = { status: 'disputed', executable_at: now - day, disputed_at: now - day }
  const upheld = await createProposed(await createAccused(), state)
  const open = await createProposed(await createAccused(), state)
  await decide(upheld, 'uphold')
  await wantDueSlashActions(env)
  expect(await hubAction('uphold_slash', upheld)).toMatchObject({ state: 'open' })
  expect(await hubAction('uphold_slash', open)).toBeNull()
})
