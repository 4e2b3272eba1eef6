import { applyD1Migrations, evictAllDurableObjects } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { emptyStorage } from './empty-storage.ts'

test('no data stays, also of objects that were dropped from memory', async () => {
  const take = (holder: string) =>
    env.FAUCET_COOLDOWN.getByName('network').take({ holder, turnsMax: 1, cooldownSeconds: 86_400 })
  expect(await take('first')).toMatchObject({ status: 'granted' })
  await env.MODULES.put('stored', 'bytes')
  await evictAllDurableObjects()

  await emptyStorage()
  expect(await take('second')).toMatchObject({ status: 'granted' })
  expect((await env.MODULES.list()).objects).toEqual([])
  expect(await env.DB.prepare('SELECT name FROM sqlite_master').first()).toBeNull()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
})
