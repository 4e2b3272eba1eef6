import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { takeLogged } from './quiet-console.ts'

test('the log of an object is kept and can be read at once', async () => {
  takeLogged()
  await runInDurableObject(env.CHAIN_INDEXER.getByName('logs'), () =>
    console.error('block %d', 7, { read: 1 }),
  )
  expect(takeLogged()).toEqual(['block 7 { read: 1 }'])
  expect(takeLogged()).toEqual([])
})
